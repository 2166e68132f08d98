package turn

import (
	"context"
	"errors"
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
	"belay/internal/turn/conversation"
)

// agentRun is the run of one agent in a turn: of the turn's own agent, from the lease
// to process:exit, or of a delegated one. Its fields up to mu are set before run and
// not changed afterwards.
type agentRun struct {
	l       *Local
	id      string
	session string
	req     Request
	lease   *session.Lease
	blobs   *session.Blobs

	settings    settings
	tools       *tool.Set
	policy      permit.Policy
	environment *tool.Environment
	unreported  []journal.Settled // what a person is notified of with session:init
	files       []attachment.Item
	refused     string
	system      []string
	sources     []session.Source
	limits      model.Limits
	// parent is set for a delegated agent, agent the tool call that started it.
	// It is a part of the turn: it works in the turn's goroutine, from the turn's
	// budget, under the turn's lease.
	parent *agentRun
	agent  string
	// key distinguishes the agent from others of the turn ([agentKey]).
	key string

	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	// exit is how the turn ended, once that is in the log.
	exit atomic.Pointer[outcome]
	// said is set when process:exit is about to be out: the lease follows.
	said atomic.Bool

	// mu orders what the turn's goroutine and its flush timer emit.
	mu        sync.Mutex
	pending   delta
	synthetic []event.Event // made-up ends of an unwritable log
	// lost is closed once there are synthetic events.
	lost chan struct{}

	// window is the agent's conversation.
	window *conversation.Window
	// trimmed is set once a person was notified that results are cut for the model.
	trimmed bool
	// pause is set for a turn that another process began, halt for an agent of it
	// that has begun already.
	suspendedTurn *suspendedTurn
	suspendedCall *suspendedCall
	// later are inputs that wait for the answer's end; deaf is set once no more are
	// taken.
	later       []session.Input
	inputClosed bool
	repeats     repeats
	// hosts are the questions about hosts that commands connect to.
	hosts hostQuestions
	// refusals end the work of an agent that repeats a refused call.
	refusals refusals
	// limit is the turn's wall clock, nil for no limit.
	limit *TimeLimit
	// made counts the calls of the turn by their ids.
	made map[string]int
	// spent is what the turn has used, its delegated agents included.
	spent *spending
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
func (t *agentRun) top() *agentRun {
	if t.parent != nil {
		return t.parent.top()
	}
	return t
}

func (l *Local) newRunning(lease *session.Lease, r Request) *agentRun {
	ctx, cancel := context.WithCancelCause(l.life)
	return &agentRun{
		l: l, id: "turn_" + l.o.NewID(), session: r.SessionID, req: r, lease: lease,
		ctx: ctx, cancel: cancel, done: make(chan struct{}), lost: make(chan struct{}), spent: &spending{},
	}
}

// stop ends the turn for the given cause; the first cause counts.
func (t *agentRun) stop(cause error) { t.cancel(cause) }

// run is the turn's goroutine: whatever happens in it, process:exit is the last
// event and the lease is free afterwards.
//
// The turn's goroutine is its only writer but for the flush timer, which emits
// text; see mu.
func (t *agentRun) run() {
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
	if t.suspendedTurn != nil {
		work = t.again
	}
	done, err := work()
	storing.Wait()
	if left := t.endJobs(err != nil); err == nil {
		err = left
	}
	t.hosts.close()
	if errors.Is(err, ErrLeft) {
		t.closeEnvironment()
		t.leave()
		return
	}
	t.owe(t.runsOnRequest()...)
	t.closeEnvironment()
	t.finish(t.judge(done, err))
}

// converse runs the model loop until the model stops by itself or a limit is
// reached.
func (t *agentRun) converse() (done completion, err error) {
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
	return t.loop(request, 0)
}

// loop asks the model and runs its tools, until one of the two is done. It counts
// the model calls that were made before.
func (t *agentRun) loop(request *model.Request, made int) (done completion, err error) {
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
		done.text = answer.Said()
		var results []conversation.Result
		atEnd := answer.Stop != model.StopToolUse
		if !atEnd {
			if results, err = t.runTools(answer); err != nil {
				return completion{}, err
			}
			if end, stuck := t.stuck(done.text); stuck {
				return end, nil
			}
		}
		inputs, err := t.dueInputs(atEnd)
		if err != nil {
			return completion{}, err
		}
		switch {
		case atEnd && len(inputs) == 0:
			done.reason = string(most.stopReason(answer.Stop))
			return done, nil
		case n >= t.settings.maxTurns:
			done.reason = string(model.StopMaxTurns)
			return done, nil
		}
		if request, err = t.proceed(conversation.NewModelCall(answer, results, inputs)); err != nil {
			return completion{}, err
		}
	}
}

// wall is the time that the turn may work: the configured limit, or less if
// asked; 0 for no limit. The time in which a question waits does not count.
func (t *agentRun) wall() time.Duration {
	wall := t.settings.rules.Limits.Wall
	if asked := time.Duration(t.settings.timeoutMS) * time.Millisecond; asked > 0 && (wall <= 0 || asked < wall) {
		return asked
	}
	return wall
}
