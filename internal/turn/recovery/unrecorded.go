package recovery

import (
	"errors"
	"sync"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/plainjson"
)

// UnrecordedEnd is the end of a turn that the log did not take, or may not give back: the
// disk was full, or the log could not be opened. Readers learn of it all the
// same, by events that are in no log, and anyone who can write to the log again puts
// it there.
type UnrecordedEnd struct {
	Turn      string
	Synthetic []event.Event
	// Logged is set where the log has it.
	Logged bool
}

// UnrecordedEnds are those of the turns of this process, one of a session, until the
// session's record is settled.
type UnrecordedEnds struct {
	clock func() time.Time

	mu        sync.Mutex
	bySession map[string]UnrecordedEnd
}

// NewUnrecordedEnds returns the ends of a process that has none yet.
func NewUnrecordedEnds(clock func() time.Time) *UnrecordedEnds {
	return &UnrecordedEnds{clock: clock, bySession: map[string]UnrecordedEnd{}}
}

// Keep remembers the end of a session's last turn, and returns it as events.
func (u *UnrecordedEnds) Keep(sessionID, turnID string, drafts []event.Draft, logged bool) []event.Event {
	events := Synthetic(u.clock, turnID, drafts)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bySession[sessionID] = UnrecordedEnd{turnID, events, logged}
	return events
}

// In returns the end that this process knows of and a session's log lacks. It is of a
// turn that ran here, or of one that err says could not be settled.
func (u *UnrecordedEnds) In(sessionID string, err error) (UnrecordedEnd, bool) {
	u.mu.Lock()
	end, known := u.bySession[sessionID]
	u.mu.Unlock()
	var unsettled *unsettledError
	if !known && errors.As(err, &unsettled) {
		return unsettled.UnrecordedEnd, true
	}
	return end, known
}

// drop forgets the end that a session's log lacked.
func (u *UnrecordedEnds) drop(sessionID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.bySession, sessionID)
}

// drafts are how a turn failed that ended in this process and could not say so;
// nil for any other.
func (u *UnrecordedEnds) drafts(sessionID, turnID string) (drafts []event.Draft) {
	end, _ := u.In(sessionID, nil)
	if end.Turn != turnID {
		return nil
	}
	for _, e := range end.Synthetic {
		drafts = append(drafts, event.Draft{Type: e.Type, Data: e.Data})
	}
	return drafts
}

// Synthetic are events that no log has: their sequence is 0.
func Synthetic(clock func() time.Time, turnID string, drafts []event.Draft) []event.Event {
	events := make([]event.Event, len(drafts))
	for i, d := range drafts {
		events[i] = event.Event{Turn: turnID, Time: clock(), Type: d.Type, Data: plainjson.MustMarshal(d.Data)}
	}
	return events
}

// unsettledError says that the end of a turn whose process died could not be put on
// record, and how it ends.
type unsettledError struct {
	UnrecordedEnd
	err error
}

func (e *unsettledError) Error() string { return e.err.Error() }
func (e *unsettledError) Unwrap() error { return e.err }

// unsettled wraps the failure to write the end of a turn, if that is what err is.
func unsettled(clock func() time.Time, turnID string, drafts []event.Draft, err error) error {
	if !fault.Is(err, fault.StorageFailure) {
		return err
	}
	return &unsettledError{UnrecordedEnd{Turn: turnID, Synthetic: Synthetic(clock, turnID, drafts)}, err}
}
