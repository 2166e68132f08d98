package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/turn/changes"
)

// An undo that cannot be put on record holds no file of the project open, and is
// settled by the next one.
//
// Covers: turn-api REQ-12
func TestUndoWithoutARecordHoldsNothing(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	r.file("a.txt", "one\n")
	id := r.session()
	turn := r.writes(id, "a.txt", "two\n")
	audit := filepath.Join(r.state, "audit.jsonl")
	must(t, os.Mkdir(audit, 0o700))
	if _, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: turn}); err == nil {
		t.Fatal("the undo is done without a record")
	}
	if held := r.held(".belay/journal"); len(held) > 0 {
		t.Errorf("open are %q", held)
	}
	must(t, os.Remove(audit))
	_, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: turn})
	must(t, err)
	if got := r.holds()["a.txt"]; got != "one\n" {
		t.Errorf("the file has %q", got)
	}
}

// held are the files and folders in a folder of the project that the process has
// open.
func (r *rig) held(folder string) (names []string) {
	r.t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	must(r.t, err)
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil && strings.HasPrefix(name, filepath.Join(r.project, folder)) {
			names = append(names, name)
		}
	}
	return names
}
