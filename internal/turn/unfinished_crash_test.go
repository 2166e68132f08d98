//go:build crashtest

package turn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/durable"
	"belay/internal/journal/journaltest"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/changes"
)

func init() {
	children["write at"] = func(state, id, arg string) {
		a := dying(state, arg, asks(
			model.ToolCall{ID: "e", Name: "edit", Input: []byte(`{"path":"a.txt","edits":[{"old":"one","new":"two"}]}`)},
			model.ToolCall{ID: "w", Name: "write", Input: []byte(`{"path":"new/deep/b.txt","content":"new"}`)},
		))
		takes(a.engine, Request{SessionID: id, Message: "write", Opts: Opts{Mode: "acceptEdits"}})
		fmt.Println("survived")
	}
	children["undo at"] = func(state, id, arg string) {
		at, turn, _ := strings.Cut(arg, " ")
		a := dying(state, at, says("nothing"))
		_, err := a.engine.Undo(context.Background(), changes.UndoRequest{SessionID: id, TurnID: turn, By: "ana"})
		grownUp(err)
		fmt.Println("survived")
	}
	children["settle at"] = func(state, id, arg string) {
		a := dying(state, arg, says("nothing"))
		_, err := a.engine.Changes(context.Background(), id, "")
		grownUp(err)
		fmt.Println("survived")
	}
}

// dying is an engine in a process that kills itself at the operation on files of a
// number.
func dying(state, number string, p play) *assembly {
	at, err := strconv.ParseInt(number, 10, 64)
	grownUp(err)
	dir, err := os.MkdirTemp(state, "scratch-")
	grownUp(err)
	a, err := assemble(state, dir, &fake{play: p}, time.Now, func(*session.Options) {}, writing)
	grownUp(err)
	var n atomic.Int64
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if n.Add(1) == at {
			die()
		}
		if op.Verb == durable.OpFlush || op.Verb == durable.OpFlushDir {
			return durable.ErrSkipped // a process that dies does not need it
		}
		return nil
	}})
	return a
}

// survives runs a child to its end and reports whether it lived.
func (r *rig) survives(kind, id, arg string) bool {
	r.t.Helper()
	c := r.child(kind, id, arg)
	lived := false
	for line := "-"; line != ""; {
		if line = c.hear(); strings.HasPrefix(line, "failed") {
			r.t.Fatalf("%s %s: %s", kind, arg, line)
		}
		lived = lived || line == "survived"
	}
	c.kill()
	return lived
}

func (r *rig) noneLeft(what string) {
	r.t.Helper()
	left, err := journaltest.Left(filepath.Join(r.state, "journal"), r.project)
	must(r.t, err)
	if len(left) > 0 {
		r.t.Errorf("%s: there is still %v", what, left)
	}
}

// A process that dies at any operation on files leaves each file of the project old
// or new. What it changed is on record at the next look, and can be taken back.
//
// Covers: turn-api REQ-04, REQ-12
func TestKilledAtEveryOperationOfATool(t *testing.T) {
	r := emptyRig(t)
	r.now.Store(time.Now().UnixNano())
	r.open(writing)
	r.provider.does(says("after the crash"))
	for at := 1; ; at++ {
		what := fmt.Sprintf("killed at %d", at)
		r.file("a.txt", "one")
		id := r.session()
		if r.survives("write at", id, strconv.Itoa(at)) {
			break
		}
		if at%2 == 0 { // a power cut may take the note of who runs the session
			must(t, os.Truncate(filepath.Join(r.state, "locks", id+".lock"), 0))
		}
		sets, err := r.engine.Changes(r.ctx(), id, "")
		must(t, err)
		want, got, turn := map[string]bool{}, map[string]bool{}, ""
		for path, text := range r.holds() {
			switch {
			case path == "a.txt" && text == "two", path == "new/deep/b.txt" && text == "new":
				want[path] = true
			case path != "a.txt" || text != "one":
				t.Fatalf("%s: %s holds %q", what, path, text)
			}
		}
		for _, s := range sets {
			turn = s.Turn
			for _, c := range s.Changes {
				if got[c.Path] = true; c.Diff == "" || c.Call == "" {
					t.Errorf("%s: %+v", what, c)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: changed (-really +on record)\n%s", what, diff)
		}
		if turn != "" {
			_, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: turn})
			must(t, err)
		}
		if diff := cmp.Diff(map[string]string{"a.txt": "one"}, r.holds()); diff != "" {
			t.Errorf("%s: after undo\n%s", what, diff)
		}
		if left, err := os.ReadDir(r.project); err != nil || len(left) > 2 { // a.txt and .belay
			t.Errorf("%s: there are still %v, %v", what, left, err)
		}
		exitOf(t, r.say(id, "go on"))
		r.whole(id)
		r.noneLeft(what)
	}
}

// An undo that is killed at any operation on files is complete or was not begun
// when somebody looks next, also if that look is killed. It is on record once, and
// a person is told.
//
// Covers: turn-api REQ-04
func TestUndoKilledAtEveryOperation(t *testing.T) {
	for _, tt := range []struct{ files, every int }{{4, 1}, {40, 13}} {
		t.Run(fmt.Sprint(tt.files), func(t *testing.T) {
			r := emptyRig(t)
			r.now.Store(time.Now().UnixNano())
			r.open(writing)
			var pairs []string
			for i := range tt.files {
				name := fmt.Sprintf("f%02d", i)
				if i%4 == 3 {
					name = fmt.Sprintf("new/%d/f", i)
				} else {
					r.file(name, "before "+name)
				}
				pairs = append(pairs, name, "after "+name)
			}
			before := r.holds()
			told := 0
			for at := 1; ; at += tt.every {
				what := fmt.Sprintf("killed at %d", at)
				id := r.session()
				turn := r.writes(id, pairs...)
				after := r.holds()
				if r.survives("undo at", id, fmt.Sprint(at, " ", turn)) {
					break
				}
				if at%5 == 0 { // the next one dies as well
					r.survives("settle at", id, strconv.Itoa(1+at%17))
				}
				sets, err := r.engine.Changes(r.ctx(), id, "")
				must(t, err)
				now := r.holds()
				done := cmp.Equal(before, now)
				if !done && !cmp.Equal(after, now) {
					t.Fatalf("%s: half done\n%s", what, cmp.Diff(before, now))
				}
				if undone := sets[0].Undone != nil; undone != done {
					t.Fatalf("%s: the files are as before the turn: %v, the record says so: %v", what, done, undone)
				}
				if sets[0].Note != "" {
					if told++; !done || !strings.Contains(sets[0].Note, "It is complete now") {
						t.Errorf("%s: told %q", what, sets[0].Note)
					}
				}
				_, err = r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: turn})
				must(t, err)
				if diff := cmp.Diff(before, r.holds()); diff != "" {
					t.Errorf("%s: after the next undo\n%s", what, diff)
				}
				r.undoneOnce(what, id)
				r.noneLeft(what)
			}
			if told == 0 {
				t.Error("nobody was ever told of an undo that was completed")
			}
		})
	}
}

// undoneOnce checks that the undo is on the transcript and on the log once.
func (r *rig) undoneOnce(what, id string) {
	r.t.Helper()
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(r.t, err)
	kept, said := 0, 0
	for _, e := range entries {
		if e.Kind == session.EntryUndo {
			kept++
		}
	}
	for _, e := range r.log(id) {
		if e.Type == "changes:undone" {
			said++
		}
	}
	if kept != 1 || said > 1 {
		r.t.Errorf("%s: %d undos in the transcript, %d in the log", what, kept, said)
	}
}

// A call's intent and the content that it replaces are on disk before the file
// changes, and an undo is on the transcript, on disk, before its intent goes.
//
// Covers: turn-api REQ-04
func TestFlushesOfACall(t *testing.T) {
	r := editingRig(t)
	r.file("a.txt", "one\n")
	id := r.session()
	var mu sync.Mutex
	var seen []string
	durable.SetHook(&durable.Hook{After: func(op durable.Op) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case op.Verb == durable.OpWrite && op.File == durable.Transcript:
			for _, kind := range []string{"intent", "tools", "undo"} {
				if strings.Contains(string(op.Data), `"kind":"`+kind+`"`) {
					seen = append(seen, kind)
				}
			}
		case op.Verb == durable.OpWrite && op.File == durable.Audit:
			seen = append(seen, "audit")
		case op.Point == "transcript: content", op.Point == "blob: content", op.Point == "audit log: content", op.Point == "project file: folder":
			seen = append(seen, op.Point)
		case op.Verb == durable.OpExchange:
			seen = append(seen, "exchange")
		case op.Verb == durable.OpRemove && strings.Contains(op.Path, "/journal/") && strings.HasSuffix(op.Path, ".json"):
			seen = append(seen, "done")
		}
	}})
	turn := r.writes(id, "a.txt", "two\n")
	call := seen
	seen = nil
	_, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: turn})
	durable.SetHook(nil)
	must(t, err)
	for what, tt := range map[string]struct{ got, want []string }{
		"call":              {call, []string{"intent", "blob: content", "exchange", "project file: folder", "done"}},
		"the call's record": {call, []string{"intent", "transcript: content", "exchange"}},
		"undo":              {seen, []string{"exchange", "project file: folder", "audit log: content", "undo", "transcript: content", "done"}},
	} {
		rest := tt.got
		for _, next := range tt.want {
			i := slices.Index(rest, next)
			if i < 0 {
				t.Errorf("%s: there is no %q in its place in %q", what, next, tt.got)
				break
			}
			rest = rest[i+1:]
		}
	}
}
