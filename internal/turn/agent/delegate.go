package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"belay/internal/blank"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/ending"
)

// ToolPrefix begins the names of the tools that delegate.
const ToolPrefix = "agent."

// maxTaskBytes bounds what a parent tells its subagent.
const maxTaskBytes = 64 << 10

// Delegates are the tools by which a turn calls its subagents, none unless every
// gate of delegation is open (workspace 9.7).
func Delegates(root *persona.Root, d persona.Decision) (tools []tool.Tool, problems []string) {
	for _, id := range d.DelegatedSubagents {
		p, err := root.Persona(id)
		if err != nil {
			problems = append(problems, fmt.Sprintf("subagent %s: %v", id, err))
			continue
		}
		if !p.TakesTasks() {
			problems = append(problems, fmt.Sprintf("subagent %s: its INTERACTION_SURFACE is %s, which does not allow spawned or INIT-TASK", p.ID, p.Surface))
		}
		for _, w := range p.Warnings {
			problems = append(problems, fmt.Sprintf("subagent %s: %s", p.ID, w))
		}
		tools = append(tools, delegate{persona: p, approvalRef: d.ApprovalRef})
	}
	return tools, problems
}

// delegate is the tool that runs one subagent.
type delegate struct {
	persona     persona.Persona
	approvalRef string
}

var _ tool.Tool = delegate{}

// Spec implements [tool.Tool].
func (d delegate) Spec() tool.Spec {
	about := cmp.Or(d.persona.Description, "a specialist")
	return tool.Spec{
		Name: ToolPrefix + d.persona.ID,
		Description: fmt.Sprintf("Hands a task to the agent %s (%s). It works alone, with tools no wider than yours and from the same budget, "+
			"sees nothing of this conversation, and answers with a report. Tell it everything it needs.", d.persona.ID, about),
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["task"],` +
			`"properties":{"task":{"type":"string","minLength":1,"description":"what to do, with all the context that it takes"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (d delegate) Prepare(_ context.Context, _ *tool.Environment, input json.RawMessage) (tool.Call, error) {
	var in struct {
		Task string `json:"task"`
	}
	if err := tool.Decode(input, &in); err != nil {
		return nil, err
	}
	if in.Task = strings.TrimSpace(in.Task); blank.Is(in.Task) || len(in.Task) > maxTaskBytes {
		return nil, tool.Refuse("the task must have 1 to %d bytes", maxTaskBytes)
	}
	return delegation{d, in.Task}, nil
}

// delegation is one call of a subagent.
type delegation struct {
	delegate
	task string
}

// Effect implements [tool.Call].
func (d delegation) Effect() permit.Effect {
	line, _, _ := strings.Cut(d.task, "\n")
	return permit.Effect{Tool: ToolPrefix + d.persona.ID, Kind: permit.Delegate, Summary: tool.Clip("delegate to "+d.persona.ID+": "+line, 200)}
}

// Run implements [tool.Call]: the subagent's whole work, in the turn's goroutine.
func (d delegation) Run(ctx context.Context) (tool.Result, error) {
	c := callOf(ctx)
	if c == nil {
		return tool.Result{}, tool.Refuse("nobody to delegate for")
	}
	sub, err := c.run.subagent(d.persona, c, d.task)
	if err != nil {
		return tool.Result{}, err
	}
	about := event.Subagent{Persona: d.persona.ID, ApprovalRef: d.approvalRef, ParentToolCallID: c.id}
	if sub.suspended == nil { // else that is on record
		err := c.audit(permit.Entry{
			Kind: auditDelegation, Summary: c.effect.Summary, Reason: "approved as " + d.approvalRef, By: c.run.Settings.ApprovedBy,
		})
		if err != nil {
			return tool.Result{}, err
		}
		if err := c.run.Events.Emit(event.Draft{Type: event.SubagentStart, Data: about}); err != nil {
			return tool.Result{}, err
		}
		for _, w := range sub.Settings.Warnings {
			if err := c.run.Events.warnOnce(w.Code, "subagent "+d.persona.ID+": "+w.Message); err != nil {
				return tool.Result{}, err
			}
		}
	}
	done, err := sub.workAndEnd()
	if errors.Is(err, ErrSuspended) {
		return tool.Result{}, err
	}
	good := err == nil && done.Reason == string(model.StopEndTurn)
	about.OK = &good
	if unsent := c.run.Events.Emit(append(c.run.Events.TakeOwed(), event.Draft{Type: event.SubagentEnd, Data: about})...); unsent != nil {
		return tool.Result{}, unsent
	}
	if failed := ofProvider(c.run.Context, err); failed != nil {
		done, err = Completion{why: failed.Message}, nil
	}
	if err != nil {
		return tool.Result{}, err
	}
	text := done.Text
	if !good {
		text = strings.TrimSpace(text + "\n\n[The agent did not finish: " + done.unfinished() + "]")
	}
	return tool.Result{Text: cmp.Or(text, "(the agent said nothing)"), Failed: !good}, nil
}

// ofProvider is what a subagent's model answered in place of an answer: the turn can go on
// without the report. It is nil for an error that ends the turn.
func ofProvider(turn context.Context, err error) *fault.Error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || turn.Err() != nil || f.Details["category"] == ending.Panic || f.Type != fault.SDKFailure && f.Type != fault.BudgetExceeded {
		return nil
	}
	return f
}

// subagent is a delegated agent of the turn: its own instructions and
// conversation, everything else no wider than the parent's.
func (a *Run) subagent(p persona.Persona, by *toolCall, task string) (*Run, error) {
	sub := New(a.Turn)
	sub.above = by.span
	sub.Message, sub.agent, sub.key = task, by.id, Key(by.id, by.nth)
	if by.suspended != nil {
		sub.suspended = by.suspended.Inner
	}
	s := a.Settings
	s.Persona, s.Warnings, s.ApprovedBy = p, nil, ""
	s.Model = cmp.Or(p.Model, a.Settings.Model)
	if s.MaxCostUSD > 0 && !s.Prices.Bounds(s.Provider.Name(), s.Model) {
		return nil, tool.Refuse("agent %s wants model %s, which has no price, so the turn's cost budget could not hold", p.ID, s.Model)
	}
	if p.MaxTurns > 0 {
		s.MaxTurns = min(s.MaxTurns, p.MaxTurns)
	}
	var requested []string
	if p.Tools != nil {
		requested = *p.Tools
	}
	all := a.Tools.Only(func(name string) bool { return !strings.HasPrefix(name, ToolPrefix) })
	var missing []string
	if s.Tools, missing = Offer(all, requested, s.Disallow(all)); len(missing) > 0 {
		s.Warn("TOOLS_UNAVAILABLE", "it goes without these tools, which the agent that delegates lacks, too: "+fault.List(missing))
	}
	s.WarnOfModel()
	sub.Settings, sub.Tools = s, s.Tools
	sub.policy = a.policy
	own, bad := sub.policyOf(nil, nil)
	if len(bad) > 0 {
		return nil, tool.Refuse("agent %s has rules that cannot be read: %s", p.ID, fault.List(bad))
	}
	// What the parent may do without asking is the most; what either is denied
	// is denied.
	sub.policy.Denied = append(sub.policy.Denied[:len(sub.policy.Denied):len(sub.policy.Denied)], own.Denied...)
	sub.policy.NeverAsk = cmp.Or(sub.policy.NeverAsk, own.NeverAsk)
	sub.limits = s.Provider.Limits(s.Model)
	sub.system = []string{p.SystemPrompt()}
	for _, src := range p.Sources() {
		sub.sources = append(sub.sources, session.Source{Path: src.Path, SHA256: src.SHA256, Bytes: src.Bytes})
	}
	notes := a.system[1:] // the person's own and the project's, each from one source
	sub.system = append(sub.system, notes...)
	sub.sources = append(sub.sources, a.sources[len(a.sources)-len(notes):]...)
	place := *a.environment
	place.Agent, place.Live = p.ID, sub.showLive
	place.Scope, place.Unreadable = tool.AllOf{a.Scope(place.Project, p), a.environment.Scope}, sub.policy.Unreadable
	place.Seen, place.Ledger = &tool.Seen{}, &tool.Ledger{Before: sub.intend}
	if sub.suspended != nil {
		place.Seen = recalled(sub.suspended.Entries, sub.agent)
	}
	place.Files, place.Network = admitter{sub, place.Project}, &network{run: sub}
	sub.environment = &place
	sub.OpenWindow()
	return sub, nil
}

// workAndEnd is work, with an end for what the subagent has begun, also where it panics.
func (a *Run) workAndEnd() (done Completion, err error) {
	worked := false
	defer func() {
		if left := a.End(!worked || err != nil); err == nil {
			err = left
		}
	}()
	done, err = a.Work()
	worked = true
	return done, err
}

// End ends what the agent has begun, after its work, which may have failed. The error is
// [ErrSuspended] where the agent is left to another process.
func (a *Run) End(failed bool) error {
	defer a.hosts.close()
	return a.jobs.end(failed)
}
