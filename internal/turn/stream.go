package turn

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn/recovery"
)

// ErrLeft ends the streams of a turn that waits for a person when its server stops. It is
// no end of the turn: the next server takes it up.
var ErrLeft = errors.New("the turn is left to the next server")

// stream reads a session's log to the end of one turn, or for ever. But for done,
// everything belongs to the goroutine that calls Next.
type stream struct {
	of        *streams
	sessionID string
	turnID    string
	// until is the turn whose exit ends the stream, "" for none; own is that
	// turn where it runs in this process.
	until  string
	own    *turn
	reader *session.Reader
	// end is the sequence after which nothing of a turn that is over can come,
	// -1 while that is not known. Past is set once the reader is behind it.
	end  int64
	past bool
	// midway is set when the last event that was read does not end a turn, current
	// is its turn, where that is known.
	midway  bool
	current string
	// gap is set when the log did not have all of the events.
	gap bool
	// ended is the turn whose synthetic end was returned.
	ended string
	// failing is since when the log cannot be read.
	failing time.Time
	over    bool

	once sync.Once
	done chan struct{} // closed by Close
}

// Turn implements [Stream].
func (s *stream) Turn() string { return s.turnID }

// Close implements [Stream].
func (s *stream) Close() error {
	s.once.Do(func() { close(s.done) })
	return s.reader.Close()
}

// Next implements [Stream]. What the log cannot tell, because it can be neither
// written nor read, is made up for this reader, with sequence 0: no stream of an
// accepted turn ends without process:exit. Where the log lost it, the transcript
// says how the turn ended.
func (s *stream) Next(ctx context.Context) ([]event.Event, error) {
	for !s.over && !s.past && s.reader.After() != s.end {
		events, err := s.wait(ctx)
		if err == nil && len(events) == 0 {
			events, err = s.silence(ctx)
		} else if err == nil {
			events = s.cut(events)
		}
		if err != nil {
			events, err = s.endure(ctx, err)
		} else {
			s.failing = time.Time{}
		}
		if err != nil || len(events) > 0 {
			return events, err
		}
	}
	if s.gap && !s.over && s.until != "" {
		s.over = true
		return s.recordedEnd(ctx)
	}
	return nil, io.EOF
}

// recordedEnd is the end of the stream's turn as the transcript has it.
func (s *stream) recordedEnd(ctx context.Context) ([]event.Event, error) {
	rec, err := s.of.store.Get(ctx, s.sessionID)
	if err != nil {
		return nil, err
	}
	entries, err := s.of.store.Entries(ctx, s.sessionID)
	if err != nil {
		return nil, err
	}
	return recovery.RecordedEnd(s.of.clock, rec, entries, s.until)
}

// wait returns the next events, or none after some time without any in mid-turn.
func (s *stream) wait(ctx context.Context) ([]event.Event, error) {
	if s.until == "" && !s.midway {
		return s.reader.Next(ctx)
	}
	return s.reader.NextWithin(ctx, s.of.poll, s.silent())
}

// silent is closed once the turn that the stream is in has an end that the log did
// not take; nil where that cannot be known here.
func (s *stream) silent() <-chan struct{} {
	t := s.own
	if t == nil {
		t = s.of.running.find(s.sessionID, cmp.Or(s.until, s.current))
	}
	if t != nil {
		return t.lost
	}
	if _, ended := s.unrecordedEnd(nil); !ended {
		return nil
	}
	over := make(chan struct{})
	close(over)
	return over
}

// silence looks for the reason why a turn says nothing. It returns the synthetic
// end of one that could not write its own.
func (s *stream) silence(ctx context.Context) ([]event.Event, error) {
	if s.own != nil {
		if words := s.tell(s.own.unrecorded()); words != nil || !s.own.retired() {
			return words, nil
		}
	} else if words := s.syntheticExit(nil); words != nil {
		return words, nil
	}
	if s.of.closing.Err() != nil && s.of.running.in(s.sessionID) == nil {
		return nil, ErrLeft
	}
	// Perhaps the process that ran the turn is gone.
	alive, err := s.of.dead.heal(ctx, s.sessionID)
	if err != nil || alive {
		return nil, err
	}
	if s.until == "" {
		s.midway = false // nobody is at work, and what is on record is whole
		return nil, nil
	}
	return nil, s.bound(ctx)
}

// bound notes where the log ends now that the stream's turn is over. Its exit
// is before that, or was read by this client in an earlier stream.
func (s *stream) bound(ctx context.Context) (err error) {
	_, s.end, err = s.of.store.Bounds(ctx, s.sessionID)
	return err
}

// cut ends the batch at the last event of the stream's turn, if that has one, or where
// nothing of it can come, and leaves out an end that was sent before it was in the log.
func (s *stream) cut(events []event.Event) []event.Event {
	last := events[len(events)-1]
	s.midway, s.current = !last.Ends() && !last.Between(), last.Turn
	if s.ended != "" {
		events = slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool {
			return e.Turn == s.ended && (e.Ends() || e.Type == event.TurnError)
		})
	}
	for i, e := range events {
		s.gap = s.gap || e.Type == event.LogGap
		if s.end >= 0 && e.Seq > s.end {
			s.past = true
			return events[:i]
		}
		if e.Ends() && e.Turn == s.until {
			s.over = true
			return events[:i+1]
		}
	}
	return events
}
