package validate

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A file that is all mistakes costs what its bytes cost to read: what is found in it
// is bounded, and so are the places that are looked for.
func TestFlood(t *testing.T) {
	t.Parallel()
	const times = 100_000
	files := sound()
	files[del+"_CONTEXT.md"] += strings.Repeat("**Deliverable ID:** DEL-09-09\n", times)
	files[del+"_REFERENCES.md"] = "# References: DEL-01-01 Drainage Plan\n\n## Applicable References\n" +
		"- A — " + strings.Repeat("a/", times) + " — B\n- `" + strings.Repeat("a/", times) + "x`\n- [a](" + strings.Repeat("a/", times) + ")\n" +
		strings.Repeat("- [a](none/x.md) `_Decomposition/none.md`\n- B — _Decomposition/none.md — c\n", times) + "\n## Notes\n"
	files[del+"MEMORY.md"] += strings.Repeat("## Again\n", times)
	files["INIT.md"] = "# INIT\n\n**Decomposition:** " + strings.Repeat("a/", times) + "\n" + strings.Repeat("**A:** b\n", times)
	var plan strings.Builder
	for n := range 80 * 100 {
		fmt.Fprintf(&plan, "| DEL-%03d-%02d | X | Civil | DOCUMENT | Lead |\n", 100+n/100, n%100)
	}
	files["_Decomposition/plan.md"] += plan.String()
	began := time.Now()
	found := validated(t, write(t, files), Options{}).Findings
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	of := map[string]int{}
	for _, f := range found {
		of[f.Code]++
		if len(f.Message)+len(f.Value)+len(f.Fix) > 2000 {
			t.Errorf("a finding has %d bytes: %.200s", len(f.Message)+len(f.Value)+len(f.Fix), f.Message)
		}
	}
	if of["CONTEXT_ID_MISMATCH"] != maxListed || of["REFERENCES_NOT_FOUND"] < maxListed-1 || of["FINDINGS_NOT_TOLD"] != 4 ||
		of["DELIVERABLE_NO_FOLDER"] != maxListed || of["INIT_DECOMPOSITION_NOT_FOUND"] != 1 {
		t.Errorf("it found %v", of)
	}
}
