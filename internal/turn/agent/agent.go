// Package agent is the work of agents in a turn: the model loop, tool calls with their
// permissions, and delegation.
//
// A [Turn] is what all agents of a turn have in common: session, log, transcript, budget.
// A [Run] is one agent in it. Package turn begins the turn's own, which starts those that
// it delegates to. A run whose call waits for a person can be suspended: it ends with
// [ErrSuspended], and another process resumes it from a [SuspendedCall].
//
// An agent works in its turn's goroutine. Other goroutines run calls that only read, stop
// background jobs, and wait for the answers to questions about hosts. [Run.End] returns
// when all of them have ended.
package agent

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/telemetry"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// Turn is the turn that agents work in: what all of them have in common.
type Turn struct {
	*Services
	// Logger names session and turn in each line.
	Logger *slog.Logger
	// ID is the turn's.
	ID        string
	SessionID string
	Lease     *session.Lease
	Blobs     *session.Blobs
	// Context ends with the turn; its cause says why.
	Context context.Context
	// Stop ends the turn for the given cause; the first cause counts.
	Stop       context.CancelCauseFunc
	Events     *Events
	Transcript *Transcript
	// Spent is what the turn has used, by all of its agents.
	Spent *Spending

	// Destination is where the turn's output goes, nil for surfaces on this machine.
	Destination *session.Destination

	// Closing ends when the server stops. Suspends reports whether another process takes
	// the turn up then, if it waits for a person.
	Closing  context.Context
	Suspends func() bool
	// StandStill stops the turn's own time while a call of it is asked about, and gives
	// its place among the running turns to another one, until goOn is called.
	StandStill func() (goOn func())
}

// NewTurn returns a turn that has the lease of its session; stop ends ctx. The caller sets
// Blobs, Closing, Suspends and StandStill.
func NewTurn(ctx context.Context, stop context.CancelCauseFunc, s *Services, id string, lease *session.Lease) *Turn {
	t := &Turn{
		Services: s, ID: id, SessionID: lease.ID(), Lease: lease, Context: ctx, Stop: stop,
		Transcript: &Transcript{lease: lease}, Spent: &Spending{},
	}
	t.Events = &Events{lease: lease, turn: id, stop: stop}
	if s.Logger != nil {
		t.Logger = s.Logger.With("session", t.SessionID, "turn", id)
		if from := telemetry.From(ctx).Request; from != "" {
			t.Logger = t.Logger.With("request", from)
		}
	}
	return t
}

// Run is the run of one agent in a turn: of the turn's own agent, or of a delegated
// one. That works in the turn's goroutine, from the turn's budget, under its lease.
type Run struct {
	*Turn
	// above is the span of the call that started a delegated agent, nil for the turn's own.
	above trace.Span
	// agent is the tool call that started a delegated agent, key distinguishes the agent
	// from others of the turn ([Key]). Both are "" for the turn's own.
	agent, key string

	Task
	Settings Settings
	// Tools are those that the agent has, with those that delegate to others.
	Tools   *tool.Set
	policy  permit.Policy
	system  []string
	sources []session.Source
	limits  model.Limits

	environment *tool.Environment
	window      *conversation.Window
	// suspended is set for an agent that began in another process.
	suspended *SuspendedCall

	planner *planner
	calls   *toolCalls
	inputs  *inputs
	jobs    *backgroundJobs
	risks   *risks
	// hosts are the questions about hosts that commands connect to.
	hosts hostQuestions
}

// Task is what an agent is asked.
type Task struct {
	Message string
	// Refused comes before the message: attachments that were refused.
	Refused string
	Files   []attachment.Item
	// Links are files that came with the message, as records have them.
	Links []block.Item
	// Direct is the call that is made in place of asking a model.
	Direct *Direct
	// Compact has the model summarise the turns before, and do nothing else.
	Compact bool
	// Alone has the agent see nothing of the session's earlier turns, but for those
	// from the turn Since on.
	Alone bool
	Since string
}

// Spending is what a turn has used, shared by all of its agents.
type Spending struct {
	Totals event.Tokens
	// Called is set once a model call was accounted for.
	Called bool
	// Calls are those that were not permitted.
	Calls event.Calls
}

// New returns the run of the turn's own agent. The caller sets its task and settings, gives
// it its tools (Equip) and its prompt (Compose), and then calls Work or Resume, once. End
// and CloseEnvironment follow, whatever became of that.
func New(s *Turn) *Run {
	a := &Run{Turn: s}
	a.planner = &planner{run: a}
	a.calls = &toolCalls{run: a}
	a.inputs = &inputs{run: a}
	a.jobs = &backgroundJobs{run: a}
	a.risks = &risks{run: a}
	return a
}

// append adds entries of the agent to the transcript.
func (a *Run) append(entries ...session.Entry) error {
	for i := range entries {
		entries[i].Agent = a.agent
	}
	return a.Transcript.Append(entries...)
}

// Work is the agent's whole conversation, or what is left of it.
func (a *Run) Work() (Completion, error) {
	if a.suspended != nil {
		return a.goOn()
	}
	if a.Compact {
		return a.planner.compact()
	}
	r, err := a.planner.first()
	if err != nil {
		return Completion{}, err
	}
	return a.loop(r, 0)
}

// loop asks the model and runs its tools, until one of the two is done. It counts
// the model calls that were made before.
func (a *Run) loop(request *model.Request, made int) (done Completion, err error) {
	for n := made + 1; ; n++ {
		if err := a.Context.Err(); err != nil {
			return Completion{}, err
		}
		answer, most, err := a.planner.consult(request)
		if err != nil {
			return Completion{}, err
		}
		if answer == nil {
			return Completion{Reason: string(most.edge), why: most.why, Text: done.Text}, nil
		}
		done.Text = answer.Said()
		var results []conversation.Result
		atEnd := answer.Stop != model.StopToolUse
		if !atEnd {
			if results, err = a.calls.answer(answer); err != nil {
				return Completion{}, err
			}
			if end, stuck := a.calls.refusals.end(done.Text); stuck {
				return end, nil
			}
		}
		inputs, err := a.inputs.takeDue(atEnd)
		if err != nil {
			return Completion{}, err
		}
		switch {
		case atEnd && len(inputs) == 0:
			if done.Text == "" && answer.Stop == model.StopEndTurn && a.agent == "" { // a delegated one's caller reads so
				if err := a.Events.Warn("EMPTY_ANSWER", "the model ended its answer without a word"); err != nil {
					return Completion{}, err
				}
			}
			done.Reason = string(most.stopReason(answer.Stop))
			return done, nil
		case n >= a.Settings.MaxTurns:
			done.Reason = string(model.StopMaxTurns)
			return done, nil
		}
		if request, err = a.planner.next(conversation.NewModelCall(answer, results, inputs)); err != nil {
			return Completion{}, err
		}
	}
}
