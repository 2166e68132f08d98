package turn

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/journal"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
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
	tools    *tool.Set
	policy   permit.Policy
	place    *tool.Workplace
	untold   []journal.Settled // what a person is told with session:init
	files    []attachment.Item
	refused  string
	system   []string
	sources  []session.Source
	limits   model.Limits
	// parent is set for a delegated agent, agent the tool call that started it.
	// It is a part of the turn: it works in the turn's goroutine, from the turn's
	// budget, under the turn's lease.
	parent *running
	agent  string
	// key tells the agent apart from others of the turn ([agentKey]).
	key string

	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	// exit is how the turn ended, once that is in the log.
	exit atomic.Pointer[outcome]
	// said is set when process:exit is about to be out: the lease follows.
	said atomic.Bool

	// mu orders what the turn's goroutine and its flush timer emit.
	mu      sync.Mutex
	pending delta
	words   []event.Event // made-up ends of an unwritable log
	// lost is closed once there are words.
	lost chan struct{}

	planned *plan
	// rounds are the turn's answers so far, each with what followed it.
	rounds []*round
	// fresh is the summary that this turn made.
	fresh summary
	// trimmed is set once a person was told that results are cut for the model.
	trimmed bool
	// dense is how much denser the provider counts tokens than we estimate, 0 for
	// not at all.
	dense float64
	// pause is set for a turn that another process began, halt for an agent of it
	// that has begun already.
	pause *pause
	halt  *halt
	// later are inputs that wait for the answer's end; deaf is set once no more are
	// taken.
	later   []session.Input
	deaf    bool
	repeats repeats
	// hosts are the questions about hosts that commands connect to.
	hosts hostQuestions
	// refusals end the work of an agent that repeats a refused call.
	refusals refusals
	// limit is the turn's wall clock, nil for no limit.
	limit *TimeLimit
	// made counts the calls of the turn by their ids.
	made map[string]int
	// spent is what the turn has used, its delegated agents included;
	// inputTokens estimates the next call.
	spent       *spending
	inputTokens int64
	// held are lines for the transcript that go with the next.
	held []session.Entry
	// ended is set once the transcript has the turn's end.
	ended bool
	// failed is set once the log has the turn's turn:error.
	failed bool
	// left is set for a turn that the next process takes up.
	left bool
	// torn is the error after which nothing is added to the transcript.
	torn error
}

// spending is what a turn has used, shared by all of its agents.
type spending struct {
	totals event.Tokens
	called bool
	// calls are those that were not permitted.
	calls event.Calls
	// owed are events that go out with the next ones: reports that nobody waits
	// for.
	owed []event.Draft
}

// top is the turn itself.
func (t *running) top() *running {
	if t.parent != nil {
		return t.parent.top()
	}
	return t
}

func (l *Local) newRunning(lease *session.Lease, r Request) *running {
	ctx, cancel := context.WithCancelCause(l.life)
	return &running{
		l: l, id: "turn_" + l.o.NewID(), session: r.SessionID, req: r, lease: lease,
		ctx: ctx, cancel: cancel, done: make(chan struct{}), lost: make(chan struct{}), spent: &spending{},
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
		t.limit = NewTimeLimit(wall, func() { t.stop(errWall) })
		defer t.limit.Stop()
	}
	var storing sync.WaitGroup
	if len(t.files) > 0 {
		// The files go to the disk while the model works. What fails here the
		// commit tries again, and tells.
		storing.Go(func() { _ = t.blobs.Sync(context.WithoutCancel(t.ctx)) })
	}
	work := t.converse
	if t.pause != nil {
		work = t.again
	}
	done, err := work()
	storing.Wait()
	t.endJobs()
	t.hosts.close()
	if errors.Is(err, ErrLeft) {
		t.closePlace()
		t.leave()
		return
	}
	t.owe(t.runsOnRequest()...)
	t.closePlace()
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
	// On a busy machine the first word of every turn comes before the work of any.
	runtime.Gosched()
	request, err := t.request()
	if err != nil {
		return completion{}, err
	}
	return t.loop(request, 0)
}

// loop asks the model and runs its tools, until one of the two is done. It counts
// the model calls that were made before.
func (t *running) loop(request *model.Request, made int) (done completion, err error) {
	for n := made + 1; ; n++ {
		if err := t.ctx.Err(); err != nil {
			return completion{}, err
		}
		answer, most, err := t.consult(request)
		if err != nil {
			return completion{}, err
		}
		if answer == nil {
			return completion{string(most.edge), most.why, done.text}, nil
		}
		done.text = answer.said()
		next := newRound(answer)
		atEnd := answer.stop != model.StopToolUse
		if !atEnd {
			if next.results, err = t.runTools(answer); err != nil {
				return completion{}, err
			}
			if end, stuck := t.stuck(done.text); stuck {
				return end, nil
			}
		}
		if next.heard, err = t.heard(atEnd); err != nil {
			return completion{}, err
		}
		switch {
		case atEnd && len(next.heard) == 0:
			done.reason = string(most.stopReason(answer.stop))
			return done, nil
		case n >= t.settings.maxTurns:
			done.reason = string(model.StopMaxTurns)
			return done, nil
		}
		if request, err = t.proceed(next); err != nil {
			return completion{}, err
		}
	}
}

// wall is the time that the turn may work: the configured limit, or less if
// asked; 0 for no limit. The time in which a question waits does not count.
func (t *running) wall() time.Duration {
	wall := t.settings.rules.Limits.Wall
	if asked := time.Duration(t.settings.timeoutMS) * time.Millisecond; asked > 0 && (wall <= 0 || asked < wall) {
		return asked
	}
	return wall
}
