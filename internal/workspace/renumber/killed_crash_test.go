//go:build crashtest

package renumber

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/durable"
	"belay/internal/fault"
)

// TestKilledAtEveryOperation: a process that dies at any operation of deps renumber, or
// of its undo, leaves files that are all as before or all changed for the next one. What
// was changed can be taken back, byte for byte.
//
// The hook is one for the process: the test does not run in parallel.
//
// Covers: workspace 6.8
func TestKilledAtEveryOperation(t *testing.T) {
	begin := func() (dir string, before map[string]string) {
		dir = root(t, map[string]string{
			survey + "_STATUS.md": "**Current State:** OPEN\n", survey + "Dependencies.csv": header + row("DEP-1", "DEL-01-02", "DOCUMENT", ""),
			survey + "_DEPENDENCIES.md": "# Dependencies: DEL-01-02 Land Survey\n\n## Run Notes\n- DEP-1\n\n## Run History\n",
			plans + "_STATUS.md":        "**Current State:** OPEN\n", plans + "Dependencies.csv": header + row("DEP-2", "DEL-01-03", "DOCUMENT", ""),
		})
		return dir, contents(t, dir)
	}
	dir, before := begin()
	p := plan(t, dir)
	after := map[string]string{}
	for name, text := range before {
		after[name] = text
	}
	for _, f := range p.Files {
		after[f.Path] = before[f.Path][:len(before[f.Path])-len(f.Before)] + string(f.After)
	}
	if len(p.Files) != 3 {
		t.Fatalf("%d files change", len(p.Files))
	}
	for _, undone := range []bool{false, true} {
		seen := map[string]bool{}
		for at := 1; ; at++ {
			dir, _ := begin()
			s, writer := store(t)
			if undone {
				must(t, write(t, s, dir, p))
			}
			var err error
			died := durable.DieAt(at, func() {
				if undone {
					_, err = s.Undo(t.Context(), dir, "", "me")
				} else {
					err = write(t, s, dir, p)
				}
			})
			if !died {
				must(t, err)
				break
			}
			must(t, writer.Settle(t.Context(), dir)) // as whoever opens the project next
			switch now := contents(t, dir); {
			case cmp.Equal(now, before):
				seen["before"] = true
			case cmp.Equal(now, after):
				seen["after"] = true
				_, err := s.Undo(t.Context(), dir, "", "me")
				must(t, err)
			default:
				t.Fatalf("undo %v, dead at %d: half done:\n%s", undone, at, cmp.Diff(before, now))
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Fatalf("undo %v, dead at %d: undo leaves\n%s", undone, at, diff)
			}
			_, err = s.Undo(t.Context(), dir, "", "me")
			if err == nil || fault.Is(err, fault.InvalidRequest) { // it finishes what died, or names once what was never made
				_, err = s.Undo(t.Context(), dir, "", "me")
			}
			if !fault.Is(err, fault.NotFound) {
				t.Fatalf("undo %v, dead at %d: undo of nothing: %v", undone, at, err)
			}
		}
		if len(seen) != 2 {
			t.Errorf("undo %v: seen %v", undone, seen)
		}
	}
}
