package decomposition

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Ranges of very many ids in each of very many deliverables cost what the document has
// bytes, whether the ids are defined or not.
func TestManyRanges(t *testing.T) { //nolint:paralleltest // it measures memory
	const most = 100 << 20 // bytes that are allocated in all
	var items, rows strings.Builder
	items.WriteString("| ScopeItemID | Statement |\n|---|---|\n")
	for n := range 2000 {
		fmt.Fprintf(&items, "| SOW-%d | x |\n", 50*n+1)
	}
	rows.WriteString("\n### PKG-01 — P\n\n| DeliverableID | Name | CoversScopeItems | SupportsObjectives |\n|---|---|---|---|\n")
	for n := range 2000 {
		fmt.Fprintf(&rows, "| DEL-%03d-%02d | a | SOW-1 – SOW-99951 | OBJ-1 – OBJ-99999 |\n", n/100, n%100)
	}
	for name, text := range map[string]string{"not defined": rows.String(), "defined": items.String() + rows.String()} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d := Parse("d.md", []byte(text))
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > most {
			t.Errorf("%s: %d bytes of text take %d MiB", name, len(text), made>>20)
		}
		written := 0
		for _, del := range d.Deliverables {
			written += len(del.ScopeItems) + len(del.Objectives)
		}
		if ends := 4 * len(d.Deliverables); written > rangeBudget(len(text))+ends {
			t.Errorf("%s: %d ids are written out", name, written)
		}
		said := 0
		for _, f := range d.Findings {
			if f.Code == ruleRanges.Code {
				said++
			}
		}
		if said != 1 {
			t.Errorf("%s: %d findings say that ranges are cut", name, said)
		}
	}
}

// A range whose ends are defined costs the ids that are, not the numbers between them: many
// such ranges are no reason to cut any.
func TestSparseRanges(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("| ScopeItemID | Statement |\n|---|---|\n| SOW-000001 | x |\n| SOW-500000 | x |\n| SOW-999999 | x |\n" +
		"\n### PKG-01 — P\n\n| DeliverableID | Name | CoversScopeItems |\n|---|---|---|\n")
	for n := range 90 {
		fmt.Fprintf(&text, "| DEL-01-%02d | a | SOW-000001–SOW-999999 |\n", n)
	}
	d := Parse("d.md", []byte(text.String()))
	found(t, d)
	for _, del := range d.Deliverables {
		if got := strings.Join(del.ScopeItems, " "); got != "SOW-000001 SOW-500000 SOW-999999" {
			t.Fatalf("%s covers %s", del.ID, got)
		}
	}
}
