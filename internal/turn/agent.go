package turn

import (
	"context"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// shared is what all agents of a turn have in common.
type shared struct {
	*services
	id      string
	session string
	lease   *session.Lease
	blobs   *session.Blobs
	ctx     context.Context
	// stop ends the turn for the given cause; the first cause counts.
	stop       context.CancelCauseFunc
	events     *events
	transcript *transcript
	// spent is what the turn has used, by all of its agents.
	spent *spending

	// destination is where the turn's output goes, nil for surfaces on this machine.
	destination *session.Destination

	// closing ends when the server stops. suspends reports whether another process takes
	// the turn up then, if it waits for a person.
	closing  context.Context
	suspends func() bool
	// standStill stops the turn's own time while a call of it is asked about, and gives
	// its place among the running turns to another one, until goOn is called.
	standStill func() (goOn func())
}

// newShared begins a turn that has the lease of its session; stop ends ctx.
func newShared(ctx context.Context, stop context.CancelCauseFunc, s *services, id string, lease *session.Lease) *shared {
	t := &shared{
		services: s, id: id, session: lease.Record().SessionID, lease: lease, ctx: ctx, stop: stop,
		transcript: &transcript{lease: lease}, spent: &spending{},
	}
	t.events = &events{lease: lease, turn: id, stop: stop}
	return t
}

// agentRun is the run of one agent in a turn: of the turn's own agent, or of a delegated
// one. That works in the turn's goroutine, from the turn's budget, under its lease.
type agentRun struct {
	*shared
	// agent is the tool call that started a delegated agent, key distinguishes the agent
	// from others of the turn ([agentKey]). Both are "" for the turn's own.
	agent, key string

	task
	settings settings
	tools    *tool.Set
	policy   permit.Policy
	system   []string
	sources  []session.Source
	limits   model.Limits

	environment *tool.Environment
	window      *conversation.Window
	// suspended is set for an agent that began in another process.
	suspended *suspendedCall

	planner *planner
	calls   *toolCalls
	inputs  *inputs
	jobs    *backgroundJobs
	risks   *risks
	// hosts are the questions about hosts that commands connect to.
	hosts hostQuestions
}

// task is what an agent is asked.
type task struct {
	message string
	// refused comes before the message: attachments that were refused.
	refused string
	files   []attachment.Item
	// links are files that came with the message, as records have them.
	links []block.Item
	// direct is the call that is made in place of asking a model.
	direct *Direct
	// alone has the agent see nothing of the session's earlier turns, but for those
	// from the turn since on.
	alone bool
	since string
}

// spending is what a turn has used, shared by all of its agents.
type spending struct {
	totals event.Tokens
	called bool
	// calls are those that were not permitted.
	calls event.Calls
}

func newAgentRun(s *shared) *agentRun {
	t := &agentRun{shared: s}
	t.planner = &planner{run: t}
	t.calls = &toolCalls{run: t}
	t.inputs = &inputs{run: t}
	t.jobs = &backgroundJobs{run: t}
	t.risks = &risks{run: t}
	return t
}

// append adds entries of the agent to the transcript.
func (t *agentRun) append(entries ...session.Entry) error {
	for i := range entries {
		entries[i].Agent = t.agent
	}
	return t.transcript.append(entries...)
}

// work is the agent's whole conversation, or what is left of it.
func (t *agentRun) work() (completion, error) {
	if t.suspended != nil {
		return t.goOn()
	}
	r, err := t.planner.first()
	if err != nil {
		return completion{}, err
	}
	return t.loop(r, 0)
}

// loop asks the model and runs its tools, until one of the two is done. It counts
// the model calls that were made before.
func (t *agentRun) loop(request *model.Request, made int) (done completion, err error) {
	for n := made + 1; ; n++ {
		if err := t.ctx.Err(); err != nil {
			return completion{}, err
		}
		answer, most, err := t.planner.consult(request)
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
			if results, err = t.calls.answer(answer); err != nil {
				return completion{}, err
			}
			if end, stuck := t.calls.refusals.end(done.text); stuck {
				return end, nil
			}
		}
		inputs, err := t.inputs.takeDue(atEnd)
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
		if request, err = t.planner.next(conversation.NewModelCall(answer, results, inputs)); err != nil {
			return completion{}, err
		}
	}
}
