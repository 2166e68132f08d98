package turn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
)

// At every step of a turn the disk becomes full, or no file can be opened any more.
// Every reader is notified of the turn's end: who started it, who follows the turn, who
// follows the session, and who comes later. With room again the end is on record,
// once, and the session goes on. See childChokes.
//
// Covers: turn-api REQ-03, REQ-12
func TestEveryReaderIsToldOfTheEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: what a process may use cannot be limited there")
	}
	for _, what := range []string{"full disk", "open files"} {
		for _, readers := range []string{"close", "behind"} {
			t.Run(what+", readers "+readers, func(t *testing.T) {
				t.Parallel()
				r := emptyRig(t)
				r.now.Store(time.Now().UnixNano())
				r.open()
				c := r.child("choke", r.project, what+"/"+readers)
				steps := 0
				for line := c.hear(); line != "survived"; line = c.hear() {
					id, fine := strings.CutPrefix(line, "fine ")
					if strings.HasPrefix(line, "accepted ") {
						continue
					}
					if !fine {
						t.Fatalf("behind step %d: %q", steps, line)
					}
					r.whole(id)
					steps++
				}
				// How often the clock is looked at depends on how the events are batched.
				if steps < 10 {
					t.Errorf("only %d steps", steps)
				}
			})
		}
	}
}

// childChokes takes turns in which the means run out, at the first look at the clock,
// at the second, and so on.
func childChokes(state, project, arg string) {
	what, readers, _ := strings.Cut(arg, "/")
	c := &choking{choke: limitFiles, behind: readers == "behind"}
	if what == "open files" {
		c.choke = limitOpen
	}
	c.looks.Store(-1 << 40)
	e := grown(state, twoRounds(0), c.clock, func(o *session.Options) {
		o.SegmentBytes = 2000
		if c.behind {
			o.TailBytes = 1
		}
	})
	e.streams.poll, e.streams.patience = 5*time.Millisecond, 50*time.Millisecond
	for c.at = 1; ; c.at++ {
		rec, err := e.Create(context.Background(), CreateRequest{ProjectRoot: project})
		grownUp(err)
		if c.turns(e, rec.SessionID); !c.choked.Swap(false) {
			break
		}
		fmt.Println("fine", rec.SessionID)
	}
	if !c.behind && !c.heard {
		grownUp(errors.New("no follower of the session read an end while the means were out"))
	}
	fmt.Println("survived")
	os.Exit(0)
}

// choking takes the means away when the clock is looked at for the at-th time.
type choking struct {
	choke  func(uint64) error
	behind bool
	heard  bool // a follower of the session read an end while the means were out
	at     int64
	looks  atomic.Int64
	choked atomic.Bool
}

func (c *choking) clock() time.Time {
	if c.looks.Add(1) == c.at {
		grownUp(c.choke(0))
		c.choked.Store(true)
	}
	return time.Now()
}

// turns takes a turn in which the means run out, gives them back, and takes another
// turn.
func (c *choking) turns(e *Local, id string) {
	takes(e, Request{SessionID: id, Message: "the first"})
	follower, err := e.Events(context.Background(), id, 0, "")
	grownUp(err)
	ends := newEnds(follower)
	defer func() { grownUp(follower.Close()) }()

	c.looks.Store(0)
	s, err := e.Start(context.Background(), Request{SessionID: id, Message: "the second"})
	if err == nil {
		if begun := exits(e, id, s); begun { // else nobody but its starter knows of it
			c.heard = ends.await(s.Turn()) || c.heard
		}
	} else if !fault.Is(err, fault.StorageFailure) {
		grownUp(fmt.Errorf("the turn was refused with %w", err))
	}
	c.looks.Store(-1 << 40)
	grownUp(noLimits())
	if err == nil {
		if t := e.running.find(id, s.Turn()); t != nil {
			<-t.done // what it could not write is written by the next who comes
		}
		// Another reader may hold the session to write the end at this moment. Until that
		// is done the end has no sequence.
		for end := (event.Event{}); end.Seq == 0; {
			late, err := e.Events(context.Background(), id, 0, s.Turn())
			grownUp(err)
			if _, end = ofTurn(late, s.Turn()); end.Type != event.ProcessExit {
				grownUp(fmt.Errorf("with room again the turn ends with %+v", end))
			}
		}
	}
	s, err = e.Start(context.Background(), Request{SessionID: id, Message: "the third"})
	grownUp(err)
	if _, end := ofTurn(s, s.Turn()); !strings.Contains(string(end.Data), `"exitCode":0`) {
		grownUp(fmt.Errorf("with room again the next turn ends with %s", end.Data))
	}
	grownUp(ends.once(s.Turn()))
}

// exits reads the turn to its end as who started it and as who follows it, and then
// as who comes later. It reports whether the log has an event of the turn.
func exits(e *Local, id string, s Stream) (begun bool) {
	streams := []Stream{s}
	open := func() {
		follower, err := e.Events(context.Background(), id, 0, s.Turn())
		if err == nil {
			streams = append(streams, follower)
		} else if !fault.Is(err, fault.StorageFailure) {
			grownUp(err)
		}
	}
	open()
	for i, s := range streams {
		first, end := ofTurn(s, s.Turn())
		if end.Type != event.ProcessExit {
			grownUp(fmt.Errorf("stream %d ended with %+v", i, end))
		}
		begun = begun || first.Seq > 0
	}
	streams = nil
	open()
	for _, s := range streams {
		if _, end := ofTurn(s, s.Turn()); end.Type != event.ProcessExit {
			grownUp(fmt.Errorf("the late stream ended with %+v", end))
		}
	}
	return begun
}

// ofTurn reads a stream to its end and returns the turn's first and last event.
func ofTurn(s Stream, turn string) (first, last event.Event) {
	for {
		events, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			grownUp(s.Close())
			return first, last
		}
		grownUp(err)
		for _, e := range events {
			if last = e; first.Type == "" && e.Turn == turn {
				first = e
			}
		}
	}
}

// ends counts the ends of turns that a follower of the session has read.
type ends struct {
	mu    sync.Mutex
	turns map[string]int
	err   error
	moved chan struct{}
}

func newEnds(s Stream) *ends {
	t := &ends{turns: map[string]int{}, moved: make(chan struct{}, 1000)}
	go func() {
		for {
			events, err := s.Next(context.Background())
			t.mu.Lock()
			t.err = err
			for _, e := range events {
				if e.Ends() {
					t.turns[e.Turn]++
				}
			}
			t.mu.Unlock()
			t.moved <- struct{}{}
			if err != nil {
				return
			}
		}
	}()
	return t
}

// await waits for the end of a turn and reports whether the follower has read it. One that
// has to read what it missed from disk, on a busy machine any, is cut off where the log cannot be
// read for long.
func (t *ends) await(turn string) bool {
	for {
		t.mu.Lock()
		n, err := t.turns[turn], t.err
		t.mu.Unlock()
		if err != nil && !fault.Is(err, fault.StorageFailure) {
			grownUp(fmt.Errorf("the session's follower was cut off: %w", err))
		}
		if n > 0 || err != nil {
			return n > 0
		}
		<-t.moved
	}
}

// once waits for the end of a turn and says whether any came twice.
func (t *ends) once(turn string) error {
	t.await(turn)
	t.mu.Lock()
	defer t.mu.Unlock()
	for turn, n := range t.turns {
		if n != 1 {
			return fmt.Errorf("the end of %s came %d times", turn, n)
		}
	}
	return nil
}
