package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
	"belay/internal/turn/changes"
)

// editingRig is a rig whose turns may change files without asking, and whose
// audit log is in the state folder.
func editingRig(t testing.TB) *rig {
	r := emptyRig(t)
	audit, err := permit.OpenAudit(filepath.Join(r.state, "audit.jsonl"), r.clock)
	must(t, err)
	r.open(withTools(t, files.New(files.Options{})...), func(o *Options) {
		o.Audit = audit
		o.Rules.Tools = tool.Limits{OutputBytes: 64 << 10, ReadBytes: 1 << 20, WriteBytes: 1 << 20, KeepBytes: 1 << 20, Matches: 100}
	})
	return r
}

// asksOnly calls tools, whatever was answered before.
func asksOnly(cs ...model.ToolCall) play {
	return func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		for _, c := range cs {
			if !yield(model.Block{Content: c}, nil) {
				return
			}
		}
		_ = yield(model.Stop{Reason: model.StopToolUse}, nil)
	}
}

// writes runs a turn that writes files, named and filled in turn, and returns its
// id.
func (r *rig) writes(id string, pairs ...string) string {
	r.t.Helper()
	var reads, writes []model.ToolCall
	for i := 0; i < len(pairs); i += 2 {
		path, _ := json.Marshal(map[string]string{"path": pairs[i]})
		content, _ := json.Marshal(map[string]string{"path": pairs[i], "content": pairs[i+1]})
		reads = append(reads, model.ToolCall{ID: fmt.Sprint("r", i), Name: "read", Input: path})
		writes = append(writes, model.ToolCall{ID: fmt.Sprint("w", i), Name: "write", Input: content})
	}
	// A file is read before it is written: first one, then the other.
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		messages := q.Messages()
		o, answered := messages[len(messages)-1].Content[0].(model.ToolOutput)
		next := asks(reads...)
		switch {
		case answered && o.CallID[0] == 'r':
			next = asksOnly(writes...)
		case answered:
			next = says("done")
		}
		next(ctx, q, yield)
	})
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "write " + strings.Join(pairs, " "), Opts: Opts{Mode: "acceptEdits"}})
	must(r.t, err)
	if code := exitOf(r.t.(*testing.T), r.drain(s)).ExitCode; code != 0 {
		r.t.Fatalf("the writing turn ended with %d: %v", code, r.provider.outputs(r.t))
	}
	r.provider.does(says("ok"))
	return s.Turn()
}

// holds are the project's files, by name.
func (r *rig) holds() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	must(r.t, filepath.WalkDir(r.project, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".belay":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(r.project, path)
		all[filepath.ToSlash(name)] = string(data)
		return err
	}))
	return all
}

// Of two undos at once the second fails because somebody else is at work; no turn runs.
func TestUndoBesideAnother(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	id := r.session()
	turnID := r.writes(id, "a.txt", "one\n")
	lease, err := r.store.Acquire(r.ctx(), id)
	must(t, err)
	must(t, lease.Boot())
	_, err = r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: turnID})
	if f := fault.From(err); f == nil || f.Type != fault.TurnInProgress || !strings.Contains(f.Message, "somebody else changes session") {
		t.Errorf("the second undo: %v", err)
	}
	must(t, lease.Release())
}

func TestUndoTakesATurnBack(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	r.file("a.txt", "one\n")
	id := r.session()
	first := r.writes(id, "a.txt", "two\n", "new/b.txt", "b\n")
	before := r.holds()
	second := r.writes(id, "a.txt", "three\n")

	// The first turn's file was changed by the second.
	_, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: first})
	if f := fault.From(err); f.Type != fault.ContentChanged || f.Status != 412 || cmp.Diff(f.Details["paths"], []string{"a.txt"}) != "" {
		t.Fatalf("undo of the first turn: %v, %v", err, f.Details)
	}
	done, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: second, By: "ana"})
	must(t, err)
	if d := cmp.Diff([]string{"a.txt"}, done.Paths); d != "" || done.Already || done.Note != "" {
		t.Errorf("%+v", done)
	}
	if r.options.Journal.Left(r.project, id) || r.options.Journal.Stray(r.project) {
		t.Error("the journal still has what the undo was to do")
	}
	if d := cmp.Diff(before, r.holds()); d != "" {
		t.Errorf("after the undo of the second turn:\n%s", d)
	}
	done, err = r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: first})
	must(t, err)
	if d := cmp.Diff(map[string]string{"a.txt": "one\n"}, r.holds()); d != "" {
		t.Errorf("after the undo of both turns:\n%s", d)
	}

	// Again: it says so, and does nothing.
	r.file("a.txt", "mine\n")
	again, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: first})
	must(t, err)
	if !again.Already || !again.Time.Equal(done.Time.Truncate(time.Millisecond)) || cmp.Diff(again.Paths, done.Paths) != "" {
		t.Errorf("the second undo: %+v, the first: %+v", again, done)
	}
	if got := r.holds()["a.txt"]; got != "mine\n" {
		t.Errorf("the second undo made %q", got)
	}
	changes, err := r.engine.Changes(r.ctx(), id, "")
	must(t, err)
	if len(changes) != 2 || changes[0].Undone == nil || changes[1].Undone == nil {
		t.Errorf("changes do not say that they were undone: %+v", changes)
	}
	log, err := os.ReadFile(filepath.Join(r.state, "audit.jsonl"))
	must(t, err)
	if n := strings.Count(string(log), `"kind":"undo"`); n != 2 || !strings.Contains(string(log), `"by":"ana"`) {
		t.Errorf("the audit log has %d undos:\n%s", n, log)
	}
}

// What was taken back is told to the next turn, once, and repeated to later ones
// where it was said.
func TestUndoIsTold(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	id := r.session()
	undone := r.writes(id, "a.txt", "one\n")
	_, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: undone})
	must(t, err)
	for i, message := range []string{"what now?", "and then?"} {
		r.say(id, message)
		q := r.provider.last(t)
		if problem := malformed(q); problem != "" {
			t.Fatal(problem)
		}
		var told []string
		for _, m := range q.Messages() {
			if words := heardIn(m); strings.Contains(words, "took back") {
				told = append(told, words)
			}
		}
		if len(told) != 1 || !strings.Contains(told[0], "a.txt") || !strings.Contains(told[0], "what now?") {
			t.Errorf("turn %d was told %q", i, told)
		}
	}
}

func TestUndoRefuses(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	id := r.session()
	idle := r.say(id, "nothing")[0].Turn
	wrote := r.writes(id, "a.txt", "one\n")
	r.file("a.txt", "mine\n")
	other := r.session()
	for name, tt := range map[string]struct {
		r    changes.UndoRequest
		want fault.Type
	}{
		"no turn named":      {changes.UndoRequest{SessionID: id}, fault.InvalidRequest},
		"a name with escape": {changes.UndoRequest{SessionID: id, TurnID: wrote, By: "\x1b[2J"}, fault.InvalidRequest},
		"unknown session":    {changes.UndoRequest{SessionID: "nobody", TurnID: wrote}, fault.SessionNotFound},
		"unknown turn":       {changes.UndoRequest{SessionID: id, TurnID: "turn_x"}, fault.NotFound},
		"another session's":  {changes.UndoRequest{SessionID: other, TurnID: wrote}, fault.NotFound},
		"nothing changed":    {changes.UndoRequest{SessionID: id, TurnID: idle}, fault.NotFound},
		"changed since":      {changes.UndoRequest{SessionID: id, TurnID: wrote}, fault.ContentChanged},
	} {
		if _, err := r.engine.Undo(r.ctx(), tt.r); !fault.Is(err, tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	s := r.started(id)
	if _, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: wrote}); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("while a turn runs: %v", err)
	}
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
	if got := r.holds()["a.txt"]; got != "mine\n" {
		t.Errorf("a refused undo made %q", got)
	}
}

// An undo that died between the files and the record is completed by the next, and
// a crashed turn's changes can be undone like any other's.
func TestUndoAfterCrashes(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	r.file("a.txt", "one\n")
	id := r.session()
	wrote := r.writes(id, "a.txt", "two\n", "b.txt", "b\n")
	r.file("a.txt", "one\n") // as far as the first undo came
	done, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: wrote})
	must(t, err)
	if d := cmp.Diff([]string{"a.txt", "b.txt"}, done.Paths); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]string{"a.txt": "one\n"}, r.holds()); d != "" {
		t.Error(d)
	}

	lease, err := r.store.Acquire(r.ctx(), id)
	must(t, err)
	blobs, err := lease.Blobs()
	must(t, err)
	sha, n, err := blobs.Put(r.ctx(), strings.NewReader("cut off"), 100)
	must(t, err)
	r.file("c.txt", "cut off")
	must(t, lease.Append(
		session.Entry{Kind: session.EntryTurn, Turn: "dead", Message: "go", After: lease.LastSeq()},
		session.Entry{Kind: session.EntryTools, Turn: "dead", Changes: []session.Change{{Path: "c.txt", After: sha, AfterBytes: n}}},
	))
	must(t, lease.Release())
	_, err = r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: "dead"})
	must(t, err)
	if _, there := r.holds()["c.txt"]; there {
		t.Error("the crashed turn's file is still there")
	}
	if e := exitOf(t, r.say(id, "go on")); e.ExitCode != 0 {
		t.Errorf("the next turn: %+v", e)
	}
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	ends := 0
	for _, e := range entries {
		if e.Kind == session.EntryEnd && e.Turn == "dead" {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("the crashed turn has %d ends", ends)
	}
}

// A record that somebody forged is no order to write files.
func TestUndoDistrustsAForgedRecord(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	id := r.session()
	wrote := r.writes(id, "a.txt", "one\n")
	path := filepath.Join(r.project, ".belay", "sessions", id, "transcript.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = fmt.Fprintf(f, "{\"kind\":\"tools\",\"turn\":%q,\"changes\":[{\"path\":\".belay/sessions/%s/session.json\"}]}\n", wrote, id)
	must(t, err)
	must(t, f.Close())
	for range 2 { // first what changed, then what it says
		if _, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: wrote}); !fault.Is(err, fault.ContentChanged) {
			t.Errorf("%v", err)
		}
	}
	if r.holds()["a.txt"] != "one\n" {
		t.Error("something was undone")
	}
}

func TestChangesAreShownAsDiffs(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	r.file("a.txt", "one\n")
	id := r.session()
	first := r.writes(id, "a.txt", "two\n")
	second := r.writes(id, "b.txt", "b\n")
	all, err := r.engine.Changes(r.ctx(), id, "")
	must(t, err)
	if len(all) != 2 || all[0].Turn != first || all[1].Turn != second || !strings.Contains(all[0].Changes[0].Diff, "-one\n+two\n") ||
		!strings.Contains(all[1].Changes[0].Diff, "+b\n") {
		t.Errorf("%+v", all)
	}
	one, err := r.engine.Changes(r.ctx(), id, second)
	must(t, err)
	if d := cmp.Diff(all[1:], one); d != "" {
		t.Error(d)
	}
	if _, err := r.engine.Changes(r.ctx(), id, "turn_x"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown turn: %v", err)
	}
}

// Anyone who follows the session is notified of an undo, once, when it is on record, and
// between turns: it belongs to none.
//
// Covers: turn-api REQ-03
func TestFollowersAreToldOfAnUndo(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	id := r.session()
	wrote := r.writes(id, "a.txt", "one")
	s, err := r.engine.Events(r.ctx(), id, 0, "")
	must(t, err)
	defer s.Close()
	for range 2 { // the second does nothing
		_, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: wrote, By: "ann"})
		must(t, err)
	}
	r.provider.does(says("next"))
	next := r.say(id, "go on")
	var got []event.Event
	for last := next[len(next)-1].Seq; len(got) == 0 || got[len(got)-1].Seq < last; {
		events, err := s.Next(r.ctx())
		must(t, err)
		got = append(got, events...)
	}
	var told []event.Event
	for _, e := range got {
		if e.Type == event.ChangesUndone {
			told = append(told, e)
		}
	}
	if len(told) != 1 || told[0].Turn != "" || string(told[0].Data) != `{"turnId":"`+wrote+`","paths":["a.txt"],"by":"ann"}` {
		t.Fatalf("told %+v", told)
	}
	if told[0].Seq != next[0].Seq-1 || next[0].Turn == "" {
		t.Errorf("it stands at %d, and the next turn begins at %d", told[0].Seq, next[0].Seq)
	}
}
