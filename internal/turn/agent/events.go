package agent

import (
	"strings"
	"sync"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
)

// delta is text on its way into the log: a flood of small pieces becomes at
// most one event per interval or size, but the first piece is never delayed.
type delta struct {
	kind  event.Type
	text  strings.Builder
	last  time.Time
	timer *time.Timer
	armed bool
}

// Events writes the events of a turn. Its callers are the turn's goroutine, the flush timer,
// which writes text, and the output of commands that run.
type Events struct {
	lease *session.Lease
	turn  string
	// stop ends a turn whose log cannot be written.
	stop func(cause error)
	// interval and size bound how often text becomes an event.
	interval time.Duration
	size     int

	// mu orders what the turn's goroutine and the flush timer write.
	mu      sync.Mutex
	pending delta
	// owed are reports that go out with the next events, because nobody waits for them.
	owed []event.Draft
	// warned are the warnings of which one in a turn is enough.
	warned map[string]bool
}

// Pace bounds how often text becomes an event.
func (e *Events) Pace(interval time.Duration, size int) { e.interval, e.size = interval, size }

// text appends text of one kind to the log, coalesced.
func (e *Events) text(kind event.Type, text string) error {
	if text == "" {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	d := &e.pending
	if d.kind != kind {
		if err := e.flushLocked(); err != nil {
			return err
		}
		d.kind, d.last = kind, time.Time{}
	}
	d.text.WriteString(text)
	// The wall clock of the machine, not the records' clock: this is pacing.
	wait := e.interval - time.Since(d.last)
	if wait <= 0 || d.text.Len() >= e.size {
		return e.flushLocked()
	}
	if !d.armed {
		d.armed = true
		if d.timer == nil {
			d.timer = time.AfterFunc(wait, e.flushLater)
		} else {
			d.timer.Reset(wait)
		}
	}
	return nil
}

func (e *Events) flushLater() {
	if err := e.flush(); err != nil {
		e.stop(recordFailure(err))
	}
}

func (e *Events) flush() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.flushLocked()
}

// flushLocked writes the pending text as one event; it is larger than the size
// limit by at most the piece that filled it. Text that could not be written stays.
func (e *Events) flushLocked() error {
	d := &e.pending
	if d.armed {
		d.timer.Stop()
		d.armed = false
	}
	if d.text.Len() == 0 {
		return nil
	}
	d.last = time.Now()
	if _, err := e.lease.Emit(e.turn, event.Draft{Type: d.kind, Data: event.Text{Text: d.text.String()}}); err != nil {
		return err
	}
	d.text.Reset()
	return nil
}

// unwritten gives up the pending text of the answer, which the log does not take, and
// returns its length: nobody has seen it.
func (e *Events) unwritten() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pending.kind == event.ChatDelta {
		n = e.pending.text.Len()
	}
	e.pending.text.Reset()
	return n
}

// Emit writes events after whatever text is pending.
func (e *Events) Emit(d ...event.Draft) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.flushLocked(); err != nil {
		return err
	}
	if len(d) == 0 {
		return nil
	}
	_, err := e.lease.Emit(e.turn, d...)
	return err
}

// Warn sends the person a warning that does not end the turn.
func (e *Events) Warn(code, message string) error {
	return e.Emit(event.Draft{Type: event.TurnWarning, Data: event.Warning{Code: code, Message: message}})
}

// warnOnce warns unless the turn has the warning already: a model may be called many times.
func (e *Events) warnOnce(code, message string) error {
	if e.repeats(code + " " + message) {
		return nil
	}
	return e.Warn(code, message)
}

// repeats notes a warning, and reports whether the turn has it already.
func (e *Events) repeats(warning string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.warned == nil {
		e.warned = map[string]bool{}
	}
	known := e.warned[warning]
	e.warned[warning] = true
	return known
}

// recordFailure is the cause of a turn that ended because its log cannot be
// written.
func recordFailure(err error) error {
	return fault.New(fault.StorageFailure, "the session's log could not be written").Because(err)
}

// TakeOwed takes the reports that are owed.
func (e *Events) TakeOwed() []event.Draft {
	owed := e.owed
	e.owed = nil
	return owed
}

// Owe has events go out with the next ones.
func (e *Events) Owe(drafts ...event.Draft) { e.owed = append(e.owed, drafts...) }
