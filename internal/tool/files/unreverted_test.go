package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/session"
)

// However far an undo came before it was cut off, the next one completes it.
func TestAnUndoThatWasCutOffIsCompleted(t *testing.T) {
	t.Parallel()
	for done := range 4 {
		x := newWorld(t)
		x.put("a.txt", "a\n")
		x.put("b.txt", "b\n")
		before := tree(t, x.w.Project)
		var changes []session.Change
		for _, name := range []string{"a.txt", "b.txt", "new/c.txt"} {
			_, _ = x.call("read", in{"path": name}) // the new one is not there
			if _, err := x.call("write", in{"path": name, "content": "changed\n"}); err != nil {
				t.Fatal(err)
			}
			changes = append(changes, x.w.Ledger.Take()...)
		}
		for i, back := range []func(){
			func() { x.put("a.txt", "a\n") },
			func() { x.put("b.txt", "b\n") },
			func() { must(t, os.RemoveAll(filepath.Join(x.w.Project, "new"))) },
		} {
			if i < done {
				back()
			}
		}
		rest, err := Unreverted(x.w.Root, changes)
		if err != nil || len(rest) != 3-done {
			t.Fatalf("after %d files: %d are left, %v", done, len(rest), err)
		}
		if conflicts, err := Revert(t.Context(), x.w.Root, x.blobs, rest); err != nil || len(conflicts) > 0 {
			t.Fatalf("after %d files: %v, %v", done, conflicts, err)
		}
		if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
			t.Errorf("after %d files:\n%s", done, d)
		}
	}
}
