package turn

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
)

// lostEnd is the end of a turn that the log did not take, or may not give back: the
// disk was full, or the log could not be opened. Readers learn of it all the
// same, by events that are in no log, and anyone who can write to the log again puts
// it there.
type lostEnd struct {
	turn      string
	synthetic []event.Event
	// logged is set where the log has it.
	logged bool
}

// unsettledError says that the end of a turn whose process died could not be put on
// record, and how it ends.
type unsettledError struct {
	lostEnd
	err error
}

func (e *unsettledError) Error() string { return e.err.Error() }
func (e *unsettledError) Unwrap() error { return e.err }

// unsettled wraps the failure to write the end of a turn, if that is what err is.
func (l *Local) unsettled(turnID string, drafts []event.Draft, err error) error {
	if !fault.Is(err, fault.StorageFailure) {
		return err
	}
	return &unsettledError{lostEnd{turn: turnID, synthetic: l.madeUp(turnID, drafts)}, err}
}

// madeUp are events that no log has: their sequence is 0.
func (l *Local) madeUp(turnID string, drafts []event.Draft) (words []event.Event) {
	for _, d := range drafts {
		words = append(words, event.Event{Turn: turnID, Time: l.o.Clock(), Type: d.Type, Data: mustJSON(d.Data)})
	}
	return words
}

// lose keeps the end of a turn that could not be recorded for its readers, and
// wakes those that wait for it.
func (t *turn) lose(drafts []event.Draft) {
	words := t.l.keep(t.session, t.id, drafts, false)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.synthetic = words
	close(t.lost)
}

// recorded notes how the turn ended, which is in the log. What ended for want of
// the means to write may lack those to read as well.
func (t *turn) recorded(o outcome) {
	t.exit.Store(&o)
	if o.err != nil && o.err.Type == fault.StorageFailure {
		t.l.keep(t.session, t.id, o.drafts(), true)
	}
}

// keep remembers the end of a session's last turn until its record is settled.
func (l *Local) keep(sessionID, turnID string, drafts []event.Draft, logged bool) []event.Event {
	words := l.madeUp(turnID, drafts)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost[sessionID] = lostEnd{turnID, words, logged}
	return words
}

// unrecorded returns the made-up end of the turn, nil if its end is in the log.
func (t *turn) unrecorded() []event.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.synthetic
}

// lostIn is the end that a session's log lacks, as far as this process knows: of a
// turn that it ran, or of one that err says could not be settled.
func (l *Local) lostIn(sessionID string, err error) (lostEnd, bool) {
	l.mu.Lock()
	end, known := l.lost[sessionID]
	l.mu.Unlock()
	var u *unsettledError
	if !known && errors.As(err, &u) {
		return u.lostEnd, true
	}
	return end, known
}

// found forgets the end that a session's log lacked.
func (l *Local) found(sessionID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.lost, sessionID)
}

// failure is how a turn failed that ended in this process and could not say so;
// nil for any other.
func (l *Local) failure(sessionID, turnID string) (drafts []event.Draft) {
	end, _ := l.lostIn(sessionID, nil)
	if end.turn != turnID {
		return nil
	}
	for _, w := range end.synthetic {
		drafts = append(drafts, event.Draft{Type: w.Type, Data: w.Data})
	}
	return drafts
}

// ending is the stream of a turn whose log cannot be opened, so that its made-up end
// is all that can be sent.
type ending struct {
	end          lostEnd
	sent, closed atomic.Bool
}

// Turn implements [Stream].
func (e *ending) Turn() string { return e.end.turn }

// Close implements [Stream].
func (e *ending) Close() error {
	e.closed.Store(true)
	return nil
}

// Next implements [Stream].
func (e *ending) Next(ctx context.Context) ([]event.Event, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case e.sent.Swap(true):
		return nil, io.EOF
	case e.closed.Load():
		return nil, session.ErrReaderClosed
	}
	return e.end.synthetic, nil
}
