package turn

import (
	"context"
	"errors"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/recovery"
)

// endure decides the outcome of a stream whose log cannot be read, or whose turn
// died without an end that anybody could write. A full disk and too many open files
// pass: the stream tries again, for as long as its turn runs here, and a while
// longer. Where the end of the turn is known all the same, that is its answer.
func (s *stream) endure(ctx context.Context, err error) ([]event.Event, error) {
	if errors.Is(err, session.ErrReaderClosed) || ctx.Err() != nil {
		return nil, err
	}
	if words := s.syntheticExit(err); words != nil {
		return words, nil
	}
	if !fault.Is(err, fault.StorageFailure) {
		return nil, err
	}
	if s.of.running.in(s.sessionID) == nil {
		if s.failing.IsZero() {
			s.failing = time.Now()
		}
		if time.Since(s.failing) > s.of.patience {
			if words := s.exit(); words != nil {
				return words, nil
			}
			return nil, err
		}
	}
	select {
	case <-time.After(min(retryRead, s.of.poll)):
		return nil, nil
	case <-s.done:
		return nil, session.ErrReaderClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// syntheticExit is the synthetic end of the turn that the stream is in. It is nil where
// the end is not known or was sent.
func (s *stream) syntheticExit(err error) []event.Event {
	if s.own != nil {
		return s.tell(s.own.unrecorded())
	}
	end, _ := s.unrecordedEnd(err)
	return s.tell(end.Synthetic)
}

// unrecordedEnd is the end of the turn that the stream is in where the log lacks it,
// or with err cannot give it back, and the reader did not get it.
func (s *stream) unrecordedEnd(err error) (recovery.UnrecordedEnd, bool) {
	end, known := s.of.ends.In(s.sessionID, err)
	awaited := end.Turn == s.until || s.until == "" && s.midway && (s.current == "" || s.current == end.Turn)
	if !known || !awaited || end.Turn == s.ended || err == nil && end.Logged {
		return recovery.UnrecordedEnd{}, false
	}
	return end, true
}

// exit is the end of a turn that is over, and on record, for a reader that can read
// no further: it has no sequence, so anyone who comes back reads the rest.
func (s *stream) exit() []event.Event {
	if s.own == nil {
		return nil
	}
	o := s.own.exit.Load()
	if o == nil {
		return nil
	}
	drafts := o.drafts()
	return s.tell(recovery.Synthetic(s.of.clock, s.own.ID, drafts[len(drafts)-1:]))
}

// tell notes that a synthetic end is sent, which is the stream's end if it is its
// turn's.
func (s *stream) tell(words []event.Event) []event.Event {
	if len(words) == 0 {
		return nil
	}
	s.ended, s.midway = words[0].Turn, false
	s.over = s.over || s.ended == s.until
	return words
}
