package turn

import (
	"encoding/json"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/plainjson"
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

// stream appends text of one kind to the log, coalesced.
func (t *agentRun) stream(kind event.Type, text string) error {
	if text == "" || t.agent != "" {
		return nil // what a delegated agent says is the result of a call
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	d := &t.pending
	if d.kind != kind {
		if err := t.flushLocked(); err != nil {
			return err
		}
		d.kind, d.last = kind, time.Time{}
	}
	d.text.WriteString(text)
	// The wall clock of the machine, not the records' clock: this is pacing.
	wait := t.settings.rules.Limits.DeltaInterval - time.Since(d.last)
	if wait <= 0 || d.text.Len() >= t.settings.rules.Limits.DeltaBytes {
		return t.flushLocked()
	}
	if !d.armed {
		d.armed = true
		if d.timer == nil {
			d.timer = time.AfterFunc(wait, t.flushLater)
		} else {
			d.timer.Reset(wait)
		}
	}
	return nil
}

func (t *agentRun) flushLater() {
	if err := t.flush(); err != nil {
		t.stop(recordFailure(err))
	}
}

func (t *agentRun) flush() error {
	t = t.top()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.flushLocked()
}

// flushLocked writes the pending text as one event; it is larger than the size
// limit by at most the piece that filled it. Text that could not be written stays.
func (t *agentRun) flushLocked() error {
	d := &t.pending
	if d.armed {
		d.timer.Stop()
		d.armed = false
	}
	if d.text.Len() == 0 {
		return nil
	}
	d.last = time.Now()
	if _, err := t.lease.Emit(t.id, event.Draft{Type: d.kind, Data: event.Text{Text: d.text.String()}}); err != nil {
		return err
	}
	d.text.Reset()
	return nil
}

// unwritten gives up the pending text of the answer, which the log does not take, and
// returns its length: nobody has seen it.
func (t *agentRun) unwritten() (n int) {
	if t.agent != "" {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending.kind == event.ChatDelta {
		n = t.pending.text.Len()
	}
	t.pending.text.Reset()
	return n
}

// emit writes events after whatever text is pending.
func (t *agentRun) emit(d ...event.Draft) error {
	t = t.top()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.flushLocked(); err != nil {
		return err
	}
	if len(d) == 0 {
		return nil
	}
	_, err := t.lease.Emit(t.id, d...)
	return err
}

// warn sends the person a warning that does not end the turn.
func (t *agentRun) warn(code, message string) error {
	return t.emit(event.Draft{Type: event.TurnWarning, Data: event.Warning{Code: code, Message: message}})
}

// recordFailure is the cause of a turn that ended because its log cannot be
// written.
func recordFailure(err error) error {
	return fault.New(fault.StorageFailure, "the session's log could not be written").Because(err)
}

func mustJSON(v any) json.RawMessage {
	b, err := plainjson.Marshal(v)
	if err != nil {
		panic(err) // the event payloads are ours and always marshal
	}
	return b
}
