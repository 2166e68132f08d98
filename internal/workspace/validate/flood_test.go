package validate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"belay/internal/workspace/dir"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
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

// A folder of very many documents, or of very large ones, is read up to a limit, and the
// report says so. The first by name are read.
func TestManyDecompositions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		count, size int
		want        string
	}{
		"as many as are read": {layout.MaxDecompositions - 1, 10, ""},
		"one more":            {layout.MaxDecompositions, 10, "1 of its documents were not read"},
		"thousands":           {2500, 10, "2401 of its documents were not read"},
		"large":               {3, 15 << 20, "1 of its documents were not read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := sound()
			for n := range c.count {
				files[fmt.Sprintf("_Decomposition/z%06d.md", n)] = strings.Repeat("x", c.size)
			}
			var said []string
			for _, f := range validated(t, write(t, files), Options{}).Findings {
				if f.Code != "ROOT_DECOMPOSITIONS_NOT_READ" || c.want == "" {
					t.Errorf("%s: %s", f.Code, f.Message)
				}
				said = append(said, f.Message)
			}
			if c.want != "" && (len(said) != 1 || !strings.HasPrefix(said[0], c.want)) {
				t.Errorf("it says %q, want %q", said, c.want)
			}
		})
	}
}

// The documents are the first that is read, and a request that ends stops there.
func TestDecompositionsEndWithContext(t *testing.T) {
	t.Parallel()
	root := write(t, sound())
	r, err := scan.Scan(t.Context(), root, scan.Options{Visited: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &project{Result: r, root: root}
	if p.top, err = dir.Open(root); err != nil {
		t.Fatal(err)
	}
	defer p.top.Close()
	p.places = newPlaces(p.top)
	if err := p.readDecompositions(ctx); !errors.Is(err, context.Canceled) || len(p.decompositions) > 0 {
		t.Errorf("%d documents are read: %v", len(p.decompositions), err)
	}
}
