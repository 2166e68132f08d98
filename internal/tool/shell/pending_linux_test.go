package shell

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
)

// closedGate is that of a project that something else changes all the time.
type closedGate struct{}

func (closedGate) Enter(context.Context, string) (tool.Pass, error) {
	return nil, tool.Refuse("another session changes files of the project").WithHint("try it again")
}

// fullBlobs is a content store on a disk that is full.
type fullBlobs struct{ blobs }

func (*fullBlobs) Put(context.Context, io.Reader, int64) (string, int64, error) {
	return "", 0, syscall.ENOSPC
}

// Changes that cannot be applied are kept, also where nobody was asked and nothing was held.
// A person can apply them later.
func TestChangesThatCannotBeAppliedAreKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fail func(w *tool.Environment)
		want string
	}{
		"a busy project": {func(w *tool.Environment) { w.Gate = closedGate{} }, "another session changes files of the project"},
		"a full disk":    {func(w *tool.Environment) { w.Blobs = &fullBlobs{} }, "disk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPlace(t, tempDir(t))
			put(t, w.Project, "a", "old\n")
			gate, blobs := w.Gate, w.Blobs
			test.fail(w)
			r, err := callShell(t, shared, w, input{Command: "echo new >a; echo said"})
			must(t, err)
			if r.Failed || !strings.Contains(r.Kept, test.want) || !strings.Contains(r.Text, "said\n") || !strings.Contains(r.Text, "the changes are kept as chg_") || !strings.Contains(r.Text, test.want) {
				t.Errorf("failed %v, kept for %q: %s", r.Failed, r.Kept, r.Text)
			}
			if got := read(t, w, "a"); got != "old\n" {
				t.Errorf("the file holds %q", got)
			}
			w.Gate, w.Blobs = gate, blobs
			all, err := kept.List(w.Root)
			if err != nil || len(all) != 1 || !strings.Contains(all[0].Why, test.want) {
				t.Fatalf("kept: %+v, %v", all, err)
			}
			if _, err := applyKeptID(t, w, all[0].ID, unrecorded); err != nil || read(t, w, "a") != "new\n" {
				t.Errorf("the file holds %q, %v", read(t, w, "a"), err)
			}
		})
	}
}

// Where they cannot be kept either, the error says both reasons, and nothing is left.
func TestChangesThatCannotBeKept(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	w.Gate = closedGate{}
	put(t, w.Project, ".belay/changes", "no folder\n")
	_, err := callShell(t, shared, w, input{Command: "echo new >a"})
	if _, is := tool.AsRefusal(err); err == nil || is || !strings.Contains(err.Error(), "another session") || !strings.Contains(err.Error(), "hold changes") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(filepath.Join(w.Project, ".belay/tmp")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
