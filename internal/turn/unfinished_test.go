package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool/files"
	"belay/internal/turn/changes"
)

// diesUndoing undoes a turn as a process does that dies when the files are changed, and
// nothing is on record.
func (r *rig) diesUndoing(id, turn string) {
	r.t.Helper()
	root, err := os.OpenRoot(r.project)
	must(r.t, err)
	defer root.Close()
	j, err := r.options.Journal.Open(r.ctx(), r.project, root)
	must(r.t, err)
	entries, err := r.store.Entries(r.ctx(), id)
	must(r.t, err)
	changes, _, err := changes.Undoable(entries, changes.UndoRequest{SessionID: id, TurnID: turn})
	must(r.t, err)
	blobs, err := r.store.Blobs(r.project)
	must(r.t, err)
	tx, conflicts, err := files.Revert(r.ctx(), files.Undo{
		Journal: j, Owner: journal.Owner{What: "undo", Session: id, Turn: turn, By: "ana"}, Root: root, Blobs: blobs, Changes: changes,
	})
	if err != nil || len(conflicts) > 0 || tx == nil {
		r.t.Fatal(tx, conflicts, err)
	}
	must(r.t, j.Close())
}

// Anyone who asks first is notified of an undo that a crash cut off: by a change of the
// record's files, by the next undo, by the next turn. It is on record once, and told
// once.
//
// Covers: turn-api REQ-04
func TestAnUnfinishedUndoIsTold(t *testing.T) {
	t.Parallel()
	const told = "was cut off by a crash. It is complete now."
	for name, ask := range map[string]func(r *rig, id, turn string) string{
		"changes": func(r *rig, id, turn string) string {
			sets, err := r.engine.Changes(r.ctx(), id, "")
			must(r.t, err)
			last, ok := changes.LastStanding(sets)
			if sets[0].Undone == nil || !ok || last.Turn != turn {
				r.t.Errorf("the changes: %+v, the last that stand: %+v", sets, last)
			}
			return sets[0].Note
		},
		"undo": func(r *rig, id, turn string) string {
			done, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: turn})
			must(r.t, err)
			if !done.Already {
				r.t.Errorf("the undo: %+v", done)
			}
			return done.Note
		},
		"a turn": func(r *rig, id, _ string) string {
			var d event.Init
			for _, e := range r.say(id, "what now?") {
				if e.Type == event.SessionInit {
					must(r.t, decode(e, &d))
				}
			}
			words := ""
			for _, m := range r.provider.last(r.t).Messages() {
				words += heardIn(m)
			}
			if strings.Count(words, "took back the file changes") != 1 {
				r.t.Errorf("the model was told %q", words)
			}
			for _, w := range d.Warnings {
				if w.Code == "UNDO_SETTLED" {
					return w.Message
				}
			}
			return ""
		},
		"a server that starts, then changes": func(r *rig, id, turn string) string {
			must(r.t, r.engine.Recovery.RecoverFiles(r.ctx()))
			r.undoneIs(id, 1)
			sets, err := r.engine.Changes(r.ctx(), id, turn)
			must(r.t, err)
			return sets[0].Note
		},
		"a turn of another session, then changes": func(r *rig, id, turn string) string {
			r.writes(r.session(), "other.txt", "x")
			must(r.t, os.Remove(filepath.Join(r.project, "other.txt")))
			r.undoneIs(id, 0)
			sets, err := r.engine.Changes(r.ctx(), id, turn)
			must(r.t, err)
			return sets[0].Note
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := editingRig(t)
			r.file("a.txt", "one\n")
			before := r.holds()
			id := r.session()
			turn := r.writes(id, "a.txt", "two\n", "new/b.txt", "b\n")
			r.diesUndoing(id, turn)
			if got := ask(r, id, turn); !strings.Contains(got, "the undo of turn "+turn) || !strings.Contains(got, told) {
				t.Errorf("told %q", got)
			}
			if d := cmp.Diff(before, r.holds()); d != "" {
				t.Error(d)
			}
			r.undoneIs(id, 1)
			log, err := os.ReadFile(filepath.Join(r.state, "audit.jsonl"))
			must(t, err)
			if n := strings.Count(string(log), `"kind":"undo"`); n != 1 || !strings.Contains(string(log), `"by":"ana"`) {
				t.Errorf("the audit log has %d undos:\n%s", n, log)
			}
			sets, err := r.engine.Changes(r.ctx(), id, "")
			must(t, err)
			if _, stands := changes.LastStanding(sets); sets[0].Note != "" || sets[0].Undone == nil || stands {
				t.Errorf("told again: %+v", sets[0])
			}
			if left, err := os.ReadDir(filepath.Join(r.project, ".belay/journal")); err != nil || len(left) > 0 || r.options.Journal.Left(r.project, id) {
				t.Errorf("there is still %v, %v", left, err)
			}
		})
	}
}

// undoneIs checks how many undos are in the transcript and in the log.
func (r *rig) undoneIs(id string, want int) {
	r.t.Helper()
	entries, err := r.store.Entries(r.ctx(), id)
	must(r.t, err)
	kept, said := 0, 0
	for _, e := range entries {
		if e.Kind == session.EntryUndo {
			kept++
		}
	}
	for _, e := range r.log(id) {
		if e.Type == event.ChangesUndone {
			said++
		}
	}
	if kept != want || said != want {
		r.t.Errorf("%d undos in the transcript, %d in the log, want %d", kept, said, want)
	}
}
