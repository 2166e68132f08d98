package turn

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"belay/internal/attachment"
	"belay/internal/event"
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

	// totals counts the calls so far; inputTokens estimates the next one.
	totals      event.Tokens
	called      bool
	inputTokens int64
	// torn is the error after which nothing is added to the transcript.
	torn error
	// owed are events that go out with the next ones: reports that nobody
	// waits for.
	owed []event.Draft
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
//
// The turn's goroutine is its only writer but for the flush timer, which emits
// text; see mu.
func (t *running) run() {
	defer t.l.retire(t)
	if wall := t.wall(); wall > 0 {
		timer := time.AfterFunc(wall, func() { t.stop(errWall) })
		defer timer.Stop()
	}
	var storing sync.WaitGroup
	if len(t.files) > 0 {
		// The files go to the disk while the model works. What fails here the
		// commit tries again, and tells.
		storing.Go(func() { _ = t.blobs.Sync(context.WithoutCancel(t.ctx)) })
	}
	done, err := t.converse()
	storing.Wait()
	t.finish(t.judge(done, err))
}

// converse runs the model loop until the model stops by itself or a limit is
// reached.
func (t *running) converse() (done completion, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the turn crashed", v, debug.Stack())
		}
	}()
	if err := t.init(); err != nil {
		return completion{}, err
	}
	request, err := t.request()
	if err != nil {
		return completion{}, err
	}
	for round := 1; ; round++ {
		if err := t.ctx.Err(); err != nil {
			return completion{}, err
		}
		most := t.allowance()
		if most.tokens <= 0 {
			return completion{string(most.edge), most.why, done.text}, nil
		}
		request.MaxTokens = most.tokens
		answer, err := t.call(request)
		if err != nil {
			return completion{}, err
		}
		done.text = answer.said()
		if answer.stop != model.StopToolUse {
			done.reason = string(most.stopReason(answer.stop))
			return done, nil
		}
		results, err := t.runTools(answer)
		if err != nil {
			return completion{}, err
		}
		if round >= t.settings.maxTurns {
			done.reason = string(model.StopMaxTurns)
			return done, nil
		}
		t.inputTokens += answer.tokens() + outputTokens(results)
		request = request.next(answer.message(), results)
	}
}

// wall is the time that the turn may take: the configured limit, or less if
// asked; 0 for no limit.
func (t *running) wall() time.Duration {
	wall := t.settings.rules.Limits.Wall
	if asked := time.Duration(t.settings.timeoutMS) * time.Millisecond; asked > 0 && (wall <= 0 || asked < wall) {
		return asked
	}
	return wall
}
