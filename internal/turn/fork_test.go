package turn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/scripted"
	"belay/internal/session"
	"belay/internal/turn/changes"
)

// folder are the bytes of a session's files.
func (r *rig) folder(id string) map[string]string {
	r.t.Helper()
	all := map[string]string{}
	dir := filepath.Join(r.project, ".belay", "sessions", id)
	must(r.t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = string(data)
		return err
	}))
	return all
}

func TestForkGoesOnFromATurn(t *testing.T) {
	t.Parallel()
	r := editingRig(t)
	file := r.file("notes.txt", "a note")
	id := r.session()
	first := r.say(id, "first", func(q *Request) {
		q.Attachments, q.IdempotencyKey, q.BodyDigest = []string{file}, "key", "digest"
	})[0].Turn
	second := r.writes(id, "a.txt", "one\n")
	third := r.say(id, "third")[0].Turn
	_, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: second})
	must(t, err)
	before := r.folder(id)

	fork, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: id, TurnID: second})
	must(t, err)
	if fork.SessionID == id || fork.ProjectRoot != r.project || cmp.Diff(fork.ForkedFrom, &session.Origin{SessionID: id, TurnID: second}) != "" {
		t.Errorf("%+v", fork)
	}
	events := r.say(fork.SessionID, "and another way?", func(q *Request) { q.IdempotencyKey, q.BodyDigest = "key", "digest" })
	if events[0].Seq != 1 || exitOf(t, events).ExitCode != 0 {
		t.Errorf("the fork's log: %s", names(events))
	}
	var said []string
	for _, m := range r.provider.last(t).Messages() {
		said = append(said, heardIn(m))
	}
	all := strings.Join(said, "\n")
	for word, want := range map[string]bool{"first": true, "notes.txt": true, "write a.txt": true, "third": false, "took back": true, "another way": true} {
		if strings.Contains(all, word) != want {
			t.Errorf("the model of the fork hears of %q: %v, want %v", word, !want, want)
		}
	}
	if d := cmp.Diff(before, r.folder(id)); d != "" {
		t.Errorf("the original changed:\n%s", d)
	}

	// What the copied turns have cost is counted once.
	rows, err := r.engine.Usage(r.ctx(), session.Time{}.Time)
	must(t, err)
	turns := 0
	for _, row := range rows {
		turns += row.Turns
	}
	if turns != 4 {
		t.Errorf("usage counts %d turns, want 4", turns)
	}

	// Without a turn it is the last; and a fork can be forked.
	last, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: id})
	must(t, err)
	if last.ForkedFrom.TurnID != third {
		t.Errorf("forked from %s, want %s", last.ForkedFrom.TurnID, third)
	}
	again, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: last.SessionID, TurnID: first})
	must(t, err)
	entries, err := r.engine.Transcript(r.ctx(), again.SessionID)
	must(t, err)
	if len(entries) == 0 || entries[0].Message != "first" || session.LastStep(entries).Turn != first {
		t.Errorf("a fork of a fork has %+v", entries)
	}
	must(t, r.engine.Delete(r.ctx(), id))
	if e := exitOf(t, r.say(again.SessionID, "on its own")); e.ExitCode != 0 {
		t.Errorf("without the original: %+v", e)
	}
}

func TestForkWhileATurnRuns(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	if _, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: id}); !fault.Is(err, fault.NotFound) {
		t.Errorf("of an empty session: %v", err)
	}
	first := r.say(id, "first")[0].Turn
	s := r.started(id)
	if _, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: id, TurnID: s.Turn()}); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("from the turn that runs: %v", err)
	}
	fork, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: id})
	must(t, err)
	if fork.ForkedFrom.TurnID != first {
		t.Errorf("forked from %s, want the last turn that has ended, %s", fork.ForkedFrom.TurnID, first)
	}
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
	for name, q := range map[string]changes.ForkRequest{"unknown turn": {SessionID: id, TurnID: "turn_x"}, "unknown session": {SessionID: "nobody"}} {
		if _, err := r.engine.Fork(r.ctx(), q); !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.SessionNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A turn that died has no end; its fork does.
func TestForkFromATurnThatDied(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	lease, err := r.store.Acquire(r.ctx(), id)
	must(t, err)
	must(t, lease.Append(session.Entry{Kind: session.EntryTurn, Turn: "dead", Message: "go"}))
	must(t, lease.Release())
	fork, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: id, TurnID: "dead"})
	must(t, err)
	events := r.say(fork.SessionID, "again")
	if e := exitOf(t, events); e.ExitCode != 0 || events[0].Turn == "dead" {
		t.Errorf("%s", names(events))
	}
}

// Whatever a conversation was, wherever it is forked, and whatever was undone in
// it: the fork's next request can be sent.
//
// Covers: turn-api REQ-06
func TestForksCanAlwaysBeSent(t *testing.T) {
	t.Parallel()
	catalog := model.Catalog{Models: variedModels(), Default: variedModels()["full"]}
	strict := scripted.New(scripted.Options{Catalog: &catalog})
	r := editingRig(t)
	r.provider.limits = catalog.Limits
	rapid.Check(t, func(rt *rapid.T) {
		id := r.session()
		var turns []string
		for i := range rapid.IntRange(1, 6).Draw(rt, "turns") {
			how := rapid.SampledFrom([]string{"answer", "fail", "silent", "tools", "writes", "undo", "fork"}).Draw(rt, "how")
			switch {
			case how == "writes":
				turns = append(turns, r.writes(id, "a.txt", fmt.Sprint(id, i)))
				continue
			case how == "undo" && len(turns) > 0:
				_, _ = r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: rapid.SampledFrom(turns).Draw(rt, "undone")}) // some are refused
				continue
			case how == "fork" && len(turns) > 0:
				rec, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: id, TurnID: rapid.SampledFrom(turns).Draw(rt, "turn")})
				must(t, err)
				id, turns = rec.SessionID, turnsOf(t, r, rec.SessionID)
			}
			r.provider.does(acts(strict, how, nil))
			q := Request{SessionID: id, Message: strings.Repeat("word ", rapid.SampledFrom([]int{1, 900}).Draw(rt, "words")),
				Opts: Opts{Model: rapid.SampledFrom([]string{"full", "tiny"}).Draw(rt, "model")}}
			s, err := r.engine.Start(r.ctx(), q)
			if fault.Is(err, fault.InvalidRequest) {
				continue // the words alone are too much for this model
			}
			must(t, err)
			r.drain(s)
			if problem := malformed(r.provider.last(t)); problem != "" {
				rt.Fatalf("turn %d (%s): %s", i, how, problem)
			}
			turns = turnsOf(t, r, id)
		}
	})
}

// turnsOf are the ids of a session's turns.
func turnsOf(t *testing.T, r *rig, id string) (turns []string) {
	t.Helper()
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	for _, e := range entries {
		if e.Kind == session.EntryTurn {
			turns = append(turns, e.Turn)
		}
	}
	return turns
}
