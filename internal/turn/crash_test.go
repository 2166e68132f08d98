package turn

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/changes"
	"belay/internal/turn/conversation"
	"belay/internal/turn/ending"
)

// A process is killed at every look at the clock of a whole turn, and nothing is
// lost: see whole.
//
// Covers: turn-api REQ-03, REQ-11, REQ-12
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.now.Store(time.Now().UnixNano())
	r.open()
	r.provider.does(says("after the crash"))
	survived := 0
	for at := 1; survived == 0; at++ {
		if at > 200 {
			t.Fatal("the child never survives")
		}
		id := r.session()
		c := r.child("die", id, fmt.Sprint(at))
		for line := "-"; line != ""; {
			if line = c.hear(); line == "survived" {
				survived = at
			} else if strings.HasPrefix(line, "failed") {
				t.Fatal(line)
			}
		}
		c.kill()
		r.whole(id)
		entries, err := r.engine.Transcript(r.ctx(), id)
		must(t, err)
		earlier, accepted := findKey(entries, "key")
		s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "the second", IdempotencyKey: "key", BodyDigest: "digest"})
		must(t, err)
		if again := s.Turn(); accepted != (again == earlier.Turn) {
			t.Errorf("killed at %d: accepted %v as %q, but the same request gave %q", at, accepted, earlier.Turn, again)
		}
		exitOf(t, r.drain(s))
		r.whole(id)
	}
	if survived < 15 {
		t.Errorf("only %d steps", survived)
	}
}

// Whenever the process dies, what its turn changed until then is known, shown and
// taken back, and nothing else.
//
// Covers: turn-api REQ-04, REQ-12
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.now.Store(time.Now().UnixNano())
	r.open(writing)
	r.provider.does(says("after the crash"))
	late, paid := 0, 0 // changes that were found after the crash, and turns of which it is known what they used
	for at, survived := 1, false; !survived; at++ {
		if at > 200 {
			t.Fatal("the child never survives")
		}
		r.file("a.txt", "one")
		id := r.session()
		c := r.child("write", id, fmt.Sprint(at))
		for line := "-"; line != ""; {
			if line = c.hear(); strings.HasPrefix(line, "failed") {
				t.Fatal(line)
			}
			survived = survived || line == "survived"
		}
		c.kill()
		want := map[string]bool{}
		for path, text := range r.holds() {
			if path != "a.txt" || text != "one" {
				want[path] = true
			}
		}
		got, turn := map[string]bool{}, ""
		sets, err := r.engine.Changes(r.ctx(), id, "")
		must(t, err)
		for _, s := range sets {
			turn = s.Turn
			for _, c := range s.Changes {
				if got[c.Path] = true; c.Diff == "" || c.Call == "" {
					t.Errorf("killed at %d: %+v", at, c)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("killed at %d: changed (-really +on record)\n%s", at, diff)
		}
		entries, err := r.engine.Transcript(r.ctx(), id)
		must(t, err)
		for _, e := range entries {
			if e.Kind == session.EntryTools && len(e.Changes) > 0 && strings.HasPrefix(e.Blocks[0].Text, conversation.ResultUnknown) {
				late++
			}
		}
		if turn != "" {
			_, err := r.engine.Undo(r.ctx(), changes.UndoRequest{SessionID: id, TurnID: turn})
			must(t, err)
		}
		if diff := cmp.Diff(map[string]string{"a.txt": "one"}, r.holds()); diff != "" {
			t.Errorf("killed at %d: after undo\n%s", at, diff)
		}
		if left, err := os.ReadDir(r.project); err != nil || len(left) > 2 { // a.txt and .belay
			t.Errorf("killed at %d: there are still %v, %v", at, left, err)
		}
		exitOf(t, r.say(id, "go on"))
		r.whole(id)
		entries, err = r.engine.Transcript(r.ctx(), id)
		must(t, err)
		for _, e := range entries {
			if e.Kind == session.EntryEnd && e.StopReason == session.StopProcessEnded && e.Usage != nil && e.Usage.OutputTokens > 0 {
				paid++
			}
		}
	}
	if paid == 0 {
		t.Error("no turn whose process died used anything")
	}
	if late < 2 {
		t.Errorf("%d changes were found after a crash, want those of both calls", late)
	}
}

// The same at moments that nobody chose, while this process reads along.
func TestKilledWhileWorking(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.now.Store(time.Now().UnixNano())
	r.open()
	id := r.session()
	reader, err := r.engine.Events(r.ctx(), id, 0, "")
	must(t, err)
	defer reader.Close()
	var seen []event.Event
	for n := range 6 {
		c := r.child("work", id, "")
		if line := c.hear(); !strings.HasPrefix(line, "accepted ") {
			t.Fatal(line)
		}
		time.Sleep(time.Duration(n*7) * time.Millisecond) // any moment will do
		c.kill()
		all := r.whole(id)
		for len(seen) < len(all) {
			events, err := reader.Next(r.ctx())
			must(t, err)
			seen = append(seen, events...)
		}
		for i, e := range seen {
			if e.Seq != int64(i+1) || e.Type != all[i].Type || string(e.Data) != string(all[i].Data) {
				t.Fatalf("the reader got %d %s %s as event %d", e.Seq, e.Type, e.Data, i+1)
			}
		}
	}
}

// whole heals the session's record, checks it, and returns the log:
//
//   - sequences are dense, and every turn of the transcript has one process:exit,
//     after which nothing of that turn follows;
//   - every turn has its end in the transcript, and the same exit code and text
//     there as in the log;
//   - a reader that comes back gets exactly the rest.
func (r *rig) whole(id string) []event.Event {
	t := r.t
	t.Helper()
	s, err := r.engine.Events(r.ctx(), id, 0, "")
	must(t, err)
	must(t, s.Close())
	eventually(t, "no turn counts as running", func() bool {
		_, _, running := r.store.Signals.Running(id)
		return !running
	})
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	kept, ended, codes, last := map[string]string{}, map[string]int{}, map[string]int{}, ""
	for _, e := range entries {
		switch e.Kind {
		case session.EntryTurn:
			if last != "" && ended[last] == 0 {
				t.Errorf("turn %s has no end in the transcript: %s", last, kinds(entries))
			}
			last = e.Turn
		case session.EntryAssistant:
			for _, b := range e.Blocks {
				if b.Type == session.BlockText {
					kept[e.Turn] += b.Text
				}
			}
		case session.EntryEnd:
			if code, again := codes[e.Turn]; !again || code == *e.ExitCode || *e.ExitCode != ending.Failed {
				ended[e.Turn]++ // but for a correction
			}
			codes[e.Turn] = *e.ExitCode
		}
	}
	all := r.log(id)
	said, exits := map[string]string{}, map[string]int{}
	for i, e := range all {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has the sequence %d", i+1, e.Seq)
		}
		if exits[e.Turn] > 0 {
			t.Errorf("%s after the exit of turn %s", e.Type, e.Turn)
		}
		switch e.Type {
		case event.ChatDelta:
			var d event.Text
			must(t, json.Unmarshal(e.Data, &d))
			said[e.Turn] += d.Text
		case event.ProcessExit:
			exits[e.Turn]++
			var exit event.Exit
			must(t, json.Unmarshal(e.Data, &exit))
			if exit.ExitCode != codes[e.Turn] {
				t.Errorf("turn %s ended with %d in the log and %d in the transcript", e.Turn, exit.ExitCode, codes[e.Turn])
			}
		}
	}
	for turn, n := range ended {
		if n != 1 || exits[turn] != 1 {
			t.Errorf("turn %s has %d ends and %d exits: %s", turn, n, exits[turn], names(all))
		}
		if kept[turn] != said[turn] {
			t.Errorf("turn %s said %d bytes, the transcript has %d: %.80q, %.80q", turn, len(said[turn]), len(kept[turn]), said[turn], kept[turn])
		}
	}
	if last != "" && ended[last] != 1 {
		t.Errorf("the last turn has no end: %s", kinds(entries))
	}
	r.resumes(id, last, all)
	return all
}

// resumes reads the last turn from every fifth place of the log on.
func (r *rig) resumes(id, turn string, all []event.Event) {
	r.t.Helper()
	if turn == "" {
		return
	}
	for after := 0; after <= len(all); after += 5 {
		s, err := r.engine.Events(r.ctx(), id, int64(after), turn)
		must(r.t, err)
		if rest := r.drain(s); len(rest) != len(all)-after {
			r.t.Errorf("after %d of %d came %d events", after, len(all), len(rest))
		}
	}
}

// log is every event of a session's log.
func (r *rig) log(id string) []event.Event {
	r.t.Helper()
	_, last, err := r.store.Bounds(r.ctx(), id)
	must(r.t, err)
	reader, err := r.store.Reader(r.ctx(), id, 0)
	must(r.t, err)
	defer reader.Close()
	var all []event.Event
	for int64(len(all)) < last {
		events, err := reader.Next(r.ctx())
		must(r.t, err)
		all = append(all, events...)
	}
	return all
}

// Covers: turn-api REQ-11
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	c := r.child("hold", id, "")
	accepted := c.hear()
	if !strings.HasPrefix(accepted, "accepted ") {
		t.Fatal(accepted)
	}
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "me too"})
	if !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("a turn while another process has one: %v", err)
	}
	if err := r.engine.Delete(r.ctx(), id); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("delete while another process has a turn: %v", err)
	}
	theirs, err := r.engine.Events(r.ctx(), id, 0, strings.TrimPrefix(accepted, "accepted "))
	must(t, err)
	if err := r.engine.Interrupt(r.ctx(), id, "turn_of_yesterday"); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("interrupt of another turn than theirs: %v", err)
	}
	must(t, r.engine.Interrupt(r.ctx(), id, strings.TrimPrefix(accepted, "accepted ")))
	c.expect(t, "exit 130")
	if exit := exitOf(t, r.drain(theirs)); exit.ExitCode != ending.Interrupted {
		t.Errorf("their turn ended with %+v", exit)
	}
	if exit := exitOf(t, r.say(id, "now me", func(q *Request) { q.Opts.OnBusy = onBusyQueue })); exit.ExitCode != 0 {
		t.Errorf("the next turn: %+v", exit)
	}
	r.whole(id)
}
