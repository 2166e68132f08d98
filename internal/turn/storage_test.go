package turn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/ending"
)

// The log becomes unwritable in the middle of an answer: the reader that is
// there still gets the end of the turn at once, and so does one that follows the
// session. The session lives on once the log can be written again.
//
// Covers: turn-api REQ-03, REQ-12
func TestLogBreaksInMidTurn(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open file keeps its folder from being moved there")
	}
	r := emptyRig(t)
	r.stored = func(o *session.Options) { o.SegmentBytes = 1500 } // a new file every few events
	r.open(func(o *Options) { o.Rules.Limits.DeltaInterval = 0 })
	r.engine.streams.poll = time.Hour // nobody has to look for the end
	id := r.session()
	all, err := r.engine.Events(r.ctx(), id, 0, "")
	must(t, err)
	follows, told := make(chan struct{}), make(chan error, 1)
	go func() {
		for events, err := all.Next(r.ctx()); ; events, err = all.Next(r.ctx()) {
			if err != nil || events[len(events)-1].Ends() {
				told <- err
				return
			}
			if events[0].Seq == 1 {
				close(follows)
			}
		}
	}()
	folder := filepath.Join(r.project, ".belay", "sessions", id, "log")
	r.provider.play = func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		for i := 0; yield(model.TextDelta{Text: "a few words "}, nil); i++ {
			if i == 20 {
				<-follows
				must(t, os.Rename(folder, folder+".away"))
				must(t, os.WriteFile(folder, nil, 0o600))
			}
		}
	}
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go", IdempotencyKey: "key", BodyDigest: "digest"})
	must(t, err)
	events := r.drain(s)
	exit := exitOf(t, events)
	if exit.ExitCode != 1 || exit.ErrorType != string(fault.StorageFailure) || !exit.Fatal {
		t.Errorf("exit %+v", exit)
	}
	if n := len(events); events[n-2].Type != event.TurnError || events[n-1].Seq != 0 {
		t.Errorf("the end is not made up: %+v", events[n-2:])
	}
	must(t, errors.Join(<-told, all.Close()))
	must(t, os.Remove(folder))
	must(t, os.Rename(folder+".away", folder))
	r.provider.does(says("fine"))
	if exit := exitOf(t, r.say(id, "next")); exit.ExitCode != 0 {
		t.Errorf("the next turn: %+v", exit)
	}
	r.say(id, "go", keyed("key", "digest")) // the lost turn has an end for later readers
	exits := 0
	for i, e := range r.log(id) {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has the sequence %d", i+1, e.Seq)
		}
		if e.Ends() {
			exits++
		}
	}
	if exits != 2 {
		t.Errorf("%d exits for two turns", exits)
	}
}

// The commit at a turn's end fails, because the session's folder is not where it
// was. The log and the transcript agree on how the turn ended.
//
// Covers: turn-api REQ-12
func TestCommitFails(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open file keeps its folder from being moved there")
	}
	r := newRig(t)
	id := r.session()
	r.say(id, "before")
	folder := filepath.Join(r.project, ".belay", "sessions", id)
	r.provider.play = func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		must(t, os.Rename(folder, folder+".away"))
		says("all went well")(ctx, q, yield)
	}
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
	must(t, err)
	if exit := exitOf(t, r.drain(s)); exit.ExitCode != 1 || exit.ErrorType != string(fault.StorageFailure) {
		t.Errorf("exit %+v", exit)
	}
	must(t, os.Rename(folder+".away", folder))
	r.provider.does(says("fine"))
	r.say(id, "next")
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	var codes []int
	used := 0
	for _, e := range entries {
		if e.Kind == session.EntryEnd && e.Turn == s.Turn() {
			codes = append(codes, *e.ExitCode)
			if e.Usage != nil {
				used++
			}
		}
	}
	if !slices.Equal(codes, []int{0, 1}) || used != 1 {
		t.Errorf("the transcript has the exit codes %v and the usage %d times", codes, used)
	}
}

// The turn fails, and then so does the commit of its end: a turn has one turn:error,
// also for later readers, and its exit says what failed last.
//
// Covers: turn-api REQ-12
func TestFailedTurnWhoseCommitFails(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open file keeps its folder from being moved there")
	}
	r := newRig(t)
	id := r.session()
	r.say(id, "before")
	folder := filepath.Join(r.project, ".belay", "sessions", id)
	r.provider.play = func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		must(t, os.Rename(folder, folder+".away"))
		yield(nil, fault.New(fault.SDKFailure, "overloaded").WithStatus(529))
	}
	events := r.say(id, "go")
	must(t, os.Rename(folder+".away", folder))
	want := "session:init turn:error process:exit"
	if got := names(events); got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	if f := payload[event.Failure](t, events, event.TurnError); f.Status != 529 {
		t.Errorf("turn:error %+v", f)
	}
	if exit := exitOf(t, events); exit.ExitCode != ending.Failed || exit.ErrorType != string(fault.StorageFailure) {
		t.Errorf("exit %+v", exit)
	}
	if n := strings.Count(names(r.log(id)), string(event.TurnError)); n != 1 {
		t.Errorf("the log has %d turn:error", n)
	}
}

// The end of a turn was lost from the transcript and in part from the log: what is
// missing is added, and nothing twice.
func TestTurnErrorIsNotRepeatedByRepair(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	lease, err := r.store.Acquire(r.ctx(), id)
	must(t, err)
	_, err = lease.Emit("turn_lost", ending.Failure(ending.Died(), ending.Failed)[0])
	must(t, err)
	must(t, lease.Release())
	r.say(id, "next")
	if got := names(r.log(id)); !strings.HasPrefix(got, "turn:error process:exit session:init") || strings.Count(got, string(event.TurnError)) != 1 {
		t.Errorf("the log has %s", got)
	}
}

// A record that cannot be written refuses the turn before any stream.
func TestTranscriptCannotBeWritten(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	transcript := filepath.Join(r.project, ".belay", "sessions", id, "transcript.jsonl")
	must(t, os.Remove(transcript))
	must(t, os.Mkdir(transcript, 0o700))
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
	if f := fault.From(err); f == nil || f.Type != fault.StorageFailure {
		t.Errorf("got %v", err)
	}
	if r.engine.Counts().Running != 0 {
		t.Error("the turn that was refused still runs")
	}
	if _, _, running := r.store.Signals.Running(id); running {
		t.Error("the lease is still held")
	}
}

// A file system without room for another byte, in a process of its own: every
// file of the turn is at its limit at once. The stream ends as promised, and the
// record is whole for the next process.
//
// Covers: turn-api REQ-03, REQ-12
func TestDiskFullInMidTurn(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the size of a process's files cannot be limited there")
	}
	r := newRig(t)
	// The log in small files has room while the transcript has none; where the pieces
	// come slowly, it is the other way round.
	for _, how := range []string{"1000 0s", "1000000 0s", "1000000 2ms"} {
		id := r.session()
		c := r.child("starve", id, how)
		if line := c.hear(); !strings.HasPrefix(line, "accepted ") {
			t.Fatal(line)
		}
		c.expect(t, "exit 1 STORAGE_FAILURE")
		c.kill()
		r.whole(id)
		if exit := exitOf(t, r.say(id, "and now?")); exit.ExitCode != 0 {
			t.Errorf("the next turn: %+v", exit)
		}
		r.whole(id)
	}
}

// childStarves takes a turn in which no file can grow beyond 8000 bytes: how large those
// of the log are, and what is between two pieces of the answer.
func childStarves(state, id, how string) {
	var segment int64
	var words string
	_, err := fmt.Sscan(how, &segment, &words)
	grownUp(err)
	pause, err := time.ParseDuration(words)
	grownUp(err)
	grownUp(limitFiles(8000))
	p := func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		for range 2000 {
			if !yield(model.TextDelta{Text: strings.Repeat("x", 40)}, nil) {
				return
			}
			time.Sleep(pause)
		}
		yield(model.Stop{Reason: model.StopEndTurn}, nil)
	}
	e := grown(state, p, time.Now, func(o *session.Options) { o.SegmentBytes = segment })
	exit := takes(e, Request{SessionID: id, Message: "go"})
	fmt.Println("exit", exit.ExitCode, exit.ErrorType)
	os.Exit(0)
}
