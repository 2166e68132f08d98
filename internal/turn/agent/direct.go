package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/tool"
)

// Direct is a tool call that is made without a model: a task of a workflow that names a
// tool. It passes the checks of any call, under the mode, the rules, the hooks and the
// decisions of people, and is on record like one.
type Direct struct {
	// Tool is the tool's canonical name, Input its input, a JSON object.
	Tool  string
	Input json.RawMessage
	// Result is the call's result and Outcome its outcome where it was not permitted.
	// They are set when the turn has ended. Result.Value has no secrets.
	Result  tool.Result
	Outcome event.Outcome
	// Reason is why the call was not permitted or not made, for people: the text of Result is
	// for models. It is "" for a call that was made, unless what it changed is kept. Kept is the
	// id of what the call changed and what waits for a person.
	Reason, Kept string
	// Settled is set where there is a result.
	Settled bool
}

// directName is the provider of direct calls, and its model.
const directName = "workflow"

// directCall plays the model that makes one call. It costs nothing and asks nobody.
type directCall struct{ d *Direct }

// Provider answers with the call, as a model would.
func (d *Direct) Provider() model.Provider { return directCall{d} }

var _ model.Provider = directCall{}

// Name implements [model.Provider].
func (directCall) Name() string { return directName }

// Ready implements [model.Provider].
func (directCall) Ready() error { return nil }

// Limits implements [model.Provider]. Nothing is sent anywhere: files are taken as most
// models take them.
func (directCall) Limits(string) model.Limits {
	catalog := model.Anthropic()
	l := catalog.Limits(model.Scripted)
	l.ContextTokens, l.OutputTokens, l.Assumed = 1<<40, 1<<20, false
	return l
}

// Stream implements [model.Provider]: the call first, and its end once that has a result.
func (c directCall) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		switch {
		case ctx.Err() != nil:
			yield(nil, ctx.Err())
		case r.Prompt == nil:
			_ = yield(model.Stop{Reason: model.StopEndTurn}, nil)
		case len(r.Tools) != 1:
			yield(nil, fault.New(fault.InvalidRequest, "the tool %s cannot be used here", c.d.Tool).WithHint("the settings of the project or of this machine withhold it"))
		default:
			call := model.ToolCall{ID: "call_1", Name: r.Tools[0].Name, Input: c.d.Input}
			if yield(model.Block{Content: call}, nil) {
				yield(model.Stop{Reason: model.StopToolUse}, nil)
			}
		}
	}
}

// take keeps the result of the call for the workflow, where it is one of its own.
func (d *Direct) take(c *toolCall) {
	if d == nil || c.run.agent != "" || c.err != nil || !c.settled {
		return
	}
	d.Result, d.Outcome, d.Settled = c.result, c.outcome, true
	if c.kept || c.result.Kept != "" {
		d.Kept = c.changeID()
	}
	d.Reason = c.run.Clean(cmp.Or(c.reason, c.result.Kept))
	d.Result.Text = c.run.Clean(d.Result.Text)
	if d.Result.Value != nil && c.run.Redact != nil {
		d.Result.Value, _ = c.run.Redact.Value(d.Result.Value).(map[string]any)
	}
}
