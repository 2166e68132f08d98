package turn

import (
	"context"
	"errors"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
)

// Anyone who comes back gets the rest of the turn, and an end in any case.
//
// Covers: turn-api REQ-03
func TestComingBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	one := r.say(id, "one")
	two := r.say(id, "two")
	all := append(one, two...)
	tests := []struct {
		name  string
		after int64
		turn  string
		want  []event.Event
	}{
		{"from the beginning", 0, one[0].Turn, one},
		{"in the middle", 2, one[0].Turn, one[2:]},
		{"after its exit", one[len(one)-1].Seq, one[0].Turn, nil},
		{"after the exit of the next one", all[len(all)-1].Seq, one[0].Turn, nil},
		{"the second, from the beginning", 0, two[0].Turn, all},
		{"after everything", all[len(all)-1].Seq, two[0].Turn, nil},
		{"beyond the end", 1000, two[0].Turn, []event.Event{ // its end is told by the transcript
			{Type: event.LogGap}, {Type: event.SessionInit}, {Type: event.Usage}, {Type: event.ChatComplete},
			{Type: event.SessionComplete}, {Type: event.ProcessExit},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := r.engine.Events(r.ctx(), id, tt.after, tt.turn)
			must(t, err)
			if got := r.drain(s); names(got) != names(tt.want) {
				t.Errorf("got %s, want %s", names(got), names(tt.want))
			}
		})
	}
	if _, err := r.engine.Events(r.ctx(), id, 0, "nobody's"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown turn: %v", err)
	}
	if _, err := r.engine.Events(r.ctx(), "nobody", 0, ""); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("an unknown session: %v", err)
	}
}

// Who comes back for a turn that is over gets nothing of the one that runs.
func TestComingBackDuringTheNextTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	one := r.say(id, "one")
	next := r.started(id)
	for _, after := range []int64{0, 2, one[len(one)-1].Seq} {
		s, err := r.engine.Events(r.ctx(), id, after, one[0].Turn)
		must(t, err)
		if got := r.drain(s); names(got) != names(one[after:]) {
			t.Errorf("after %d: got %s", after, names(got))
		}
	}
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(next)
}

// A reader without an end goes from turn to turn, and waits in between.
func TestFollowing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	s, err := r.engine.Events(r.ctx(), id, 0, "")
	must(t, err)
	defer s.Close()
	for range 2 {
		want := r.say(id, "hi")
		for n := 0; n < len(want); {
			got, err := s.Next(r.ctx())
			must(t, err)
			n += len(got)
		}
	}
	short, cancel := context.WithTimeout(r.ctx(), 5*time.Millisecond)
	defer cancel()
	if _, err := s.Next(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("in silence: %v", err)
	}
	r.say(id, "still there?")
	if got, err := s.Next(r.ctx()); err != nil || len(got) == 0 {
		t.Errorf("after silence: %v, %v", got, err)
	}
}

// Readers that follow a turn when its process is killed see its end, whether
// they wait for that turn or for whatever comes.
//
// Covers: turn-api REQ-03, REQ-12
func TestReadersOfAKilledTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	c := r.child("hold", id, "")
	turn := c.hear()[len("accepted "):]
	var streams []Stream
	for _, until := range []string{turn, ""} {
		s, err := r.engine.Events(r.ctx(), id, 0, until)
		must(t, err)
		defer s.Close()
		streams = append(streams, s)
	}
	eventually(t, "its first words", func() bool {
		_, last, err := r.store.Bounds(r.ctx(), id)
		return err == nil && last >= 2
	})
	c.kill()
	for _, s := range streams {
		for over := false; !over; {
			events, err := s.Next(r.ctx())
			must(t, err)
			last := events[len(events)-1]
			if over = last.Ends(); over {
				var exit event.Exit
				must(t, decode(last, &exit))
				if exit.ExitCode != 1 || exit.ErrorDetails["category"] != "PROCESS_ENDED" {
					t.Errorf("exit %+v", exit)
				}
			}
		}
	}
	r.whole(id)
}
