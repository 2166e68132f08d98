package turn

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// running is one turn from its lease to its process:exit. Its fields up to mu
// are set before run and not changed afterwards.
type running struct {
	l       *Local
	id      string
	session string
	req     Request
	lease   *session.Lease
	blobs   *session.Blobs

	settings settings
	files    []attachment.Item
	refused  string
	system   []string
	sources  []session.Source
	limits   model.Limits

	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	// said is set when process:exit is about to be out: the lease follows.
	said atomic.Bool

	// mu orders what the turn's goroutine and its flush timer emit.
	mu      sync.Mutex
	pending delta
	words   []event.Event // made-up ends of an unwritable log

	// totals counts the calls that ended; inputTokens estimates the next one.
	totals      event.Tokens
	called      bool
	inputTokens int64
}

func (l *Local) newRunning(lease *session.Lease, r Request) *running {
	ctx, cancel := context.WithCancelCause(l.life)
	return &running{
		l: l, id: "turn_" + l.o.NewID(), session: r.SessionID, req: r, lease: lease,
		ctx: ctx, cancel: cancel, done: make(chan struct{}),
	}
}

// stop ends the turn for the given cause; the first cause counts.
func (t *running) stop(cause error) { t.cancel(cause) }

// run is the turn's goroutine: whatever happens in it, process:exit is the last
// event and the lease is free afterwards.
func (t *running) run() {
	defer t.l.retire(t)
	if wall := t.wall(); wall > 0 {
		timer := time.AfterFunc(wall, func() { t.stop(errWall) })
		defer timer.Stop()
	}
	reason, err := t.converse()
	t.finish(t.judge(reason, err))
}

// converse runs the model loop until the model stops by itself or a limit is
// reached. It returns the stop reason.
func (t *running) converse() (reason string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v, debug.Stack())
		}
	}()
	if err := t.init(); err != nil {
		return "", err
	}
	request, err := t.request()
	if err != nil {
		return "", err
	}
	for round := 1; ; round++ {
		if request.MaxTokens, err = t.allowance(); err != nil {
			return t.overBudget(err)
		}
		answer, err := t.call(request)
		if err != nil {
			return "", err
		}
		if answer.stop != model.StopToolUse {
			return t.stopReason(answer.stop, request.MaxTokens), t.say(answer)
		}
		results, err := t.runTools(answer)
		if err != nil {
			return "", err
		}
		if round == t.settings.maxTurns {
			return string(model.StopMaxTurns), t.say(answer)
		}
		request = request.next(answer.message(), results)
	}
}

// say emits the whole answer.
func (t *running) say(a *answer) error {
	return t.emit(event.Draft{Type: event.ChatComplete, Data: event.Text{Text: a.text.String()}})
}

// overBudget ends a turn whose budget does not allow the next call.
func (t *running) overBudget(err error) (string, error) {
	f := fault.From(err)
	if f.Type != fault.BudgetExceeded {
		return "", err
	}
	return string(model.StopBudget), t.warn(string(f.Type), f.Message)
}

// finish records how the turn ended, makes the record durable and, last of all,
// tells the readers.
func (t *running) finish(o outcome) {
	drafts := t.ending(o)
	err := t.lease.Append(session.Entry{
		Kind: session.EntryEnd, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		StopReason: o.reason, ExitCode: &o.exit, Usage: t.usage(),
	})
	if err == nil {
		err = t.emit(drafts[:len(drafts)-1]...)
	}
	if err == nil {
		err = t.lease.Commit(context.WithoutCancel(t.ctx))
	}
	t.said.Store(true)
	if err == nil {
		err = t.emit(drafts[len(drafts)-1])
	}
	if err != nil {
		t.l.o.Logger.Error("record the end of a turn", "session", t.session, "turn", t.id, "error", err)
		t.lose(fault.From(err))
	}
}

// ending are the events that end the turn; the last is process:exit.
func (t *running) ending(o outcome) []event.Draft {
	switch {
	case o.exit == exitInterrupted:
		return interruptedDrafts()
	case o.err != nil:
		return failureDrafts(o.err, o.exit)
	}
	var drafts []event.Draft
	if o.reason != string(model.StopEndTurn) {
		drafts = append(drafts, event.Draft{Type: event.TurnWarning, Data: event.Warning{
			Code: strings.ToUpper(o.reason), Message: stopMessage(o.reason),
		}})
	}
	return append(drafts,
		event.Draft{Type: event.SessionComplete, Data: event.Complete{StopReason: o.reason}},
		event.Draft{Type: event.ProcessExit, Data: event.Exit{ExitCode: o.exit}})
}

func stopMessage(reason string) string {
	switch model.StopReason(reason) {
	case model.StopMaxTokens:
		return "the answer was cut off at the limit of output tokens"
	case model.StopMaxTurns:
		return "the turn ended at its limit of model calls"
	case model.StopBudget:
		return "the turn ended at its budget"
	case model.StopRefusal:
		return "the model declined to answer"
	case model.StopContext:
		return "the answer was cut off at the end of the model's context"
	}
	return fmt.Sprintf("the model stopped with %q; the answer may be incomplete", reason)
}

// lose keeps the end of a turn that could not be recorded for the readers that
// are there.
func (t *running) lose(f *fault.Error) {
	var words []event.Event
	for _, d := range failureDrafts(f, exitFailed) {
		words = append(words, event.Event{Turn: t.id, Time: t.l.o.Clock(), Type: d.Type, Data: mustJSON(d.Data)})
	}
	t.mu.Lock()
	t.words = words
	t.mu.Unlock()
}

// unrecorded returns the made-up end of the turn, nil if its end is in the log.
func (t *running) unrecorded() []event.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.words
}
