package run

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"belay/internal/fault"
	"belay/internal/plainjson"
	"belay/internal/turn"
	"belay/internal/turn/agent"
	"belay/internal/workflow/definition"
)

// direct calls the tool of a tool task: a turn without a model, under the mode and the
// rules of the run. A call that is refused or fails is the task's failure.
func (x *execution) direct(ctx context.Context, t *definition.Task, s scope, rec *Task) error {
	input, err := plainjson.Marshal(s.with)
	if err != nil {
		return err
	}
	rec.Prompt = t.Tool + " " + string(input)
	if err := x.records.announce(rec, 0); err != nil {
		return err
	}
	return x.tries(ctx, t, rec, func() (any, error) { return x.call(ctx, t, input, rec) })
}

// call is one try of a tool task.
func (x *execution) call(ctx context.Context, t *definition.Task, input json.RawMessage, rec *Task) (output any, err error) {
	who := turn.CreateRequest{
		ProjectRoot: x.record.Project, Persona: workflowPersona(toolAgent), Mode: x.record.Mode,
		Title: x.w.ID + ": tools, " + x.id,
	}
	session, done, err := x.lent.borrow(ctx, x.r.o.Engine, who)
	if err != nil {
		return nil, err
	}
	this := rec.begin(session, x.records.now())
	defer func() {
		rec.finish(this, x.records.now(), err)
		done(err == nil)
	}()
	d := &agent.Direct{Tool: t.Tool, Input: input}
	tools := []string{t.Tool}
	request := turn.Request{
		SessionID: session, Message: fault.Clip(rec.Prompt), Allow: x.record.Allow,
		Opts:  turn.Opts{Mode: x.record.Mode, Tools: &tools, OnQuestion: x.eval.onQuestion},
		Agent: &turn.Agent{Name: toolAgent, Instructions: "A task of a workflow calls this tool.", From: x.record.File + "#" + t.ID, Direct: d, Alone: true},
	}
	if _, err := x.ask(ctx, request, rec, this); err != nil {
		return nil, err
	}
	switch {
	case !d.Settled:
		return nil, fault.New(fault.TaskFailed, "the call of the tool %s has no result", t.Tool).With("sessionId", session)
	case d.Kept != "":
		return nil, undone(d).With("sessionId", session).With("category", cmp.Or(string(d.Outcome), categoryKept))
	case d.Outcome != "" || d.Result.Failed:
		return nil, undone(d).With("sessionId", session).With("category", cmp.Or(string(d.Outcome), "failed"))
	case d.Result.Value == nil && d.Result.Truncated:
		return nil, fault.New(fault.TaskFailed, "the tool %s gives only a part: what it reads is too large", t.Tool).
			With("sessionId", session).WithHint("read a part of it with offset and limit")
	case d.Result.Value == nil:
		return map[string]any{"response": d.Result.Text}, nil
	}
	return plain(d.Result.Value)
}

// undone is the failure of a task whose call was not permitted or did not succeed, in words
// for the person who runs the workflow.
func undone(d *agent.Direct) *fault.Error {
	code, ran := d.Result.Value["exit_code"]
	switch {
	case d.Kept != "" && d.Outcome == "":
		return fault.New(fault.TaskFailed, "the tool %s: its command ended with exit code %v, and what it changed was allowed and is not applied: %s", d.Tool, code, d.Reason).
			WithHint("look at its changes with belay changes show %s; taken up again, the run begins the task anew on the files as they are now", d.Kept).
			With("changeId", d.Kept)
	case d.Kept != "":
		return fault.New(fault.TaskFailed, "the tool %s: its command ended with exit code %v, and what it changed is not applied: %s", d.Tool, code, d.Reason).
			WithHint("belay changes show %s has its changes; begin the run anew with --mode acceptEdits or --allow %s to have them applied, or take it up with --wait and answer with belay decision", d.Kept, d.Tool).
			With("changeId", d.Kept)
	case d.Reason != "" && ran:
		return fault.New(fault.TaskFailed, "the tool %s: its command ended with exit code %v, and what it changed is dropped: %s", d.Tool, code, d.Reason)
	case d.Reason != "":
		return fault.New(fault.TaskFailed, "the tool %s: %s", d.Tool, d.Reason)
	}
	text := strings.TrimSpace(d.Result.Text)
	output, _ := d.Result.Value["output"].(string)
	if how, found := strings.CutPrefix(d.Result.Text, output); ran && found {
		how, rest, _ := strings.Cut(strings.TrimSpace(how), "\n")
		switch {
		case !d.Result.Failed:
			text = strings.TrimSpace(rest) // some of its changes are left out: it says which
		case lastLine(output) != "":
			text = how + "; its output ends with: " + lastLine(output)
		default:
			text = how
		}
	}
	return fault.New(fault.TaskFailed, "the tool %s: %s", d.Tool, text)
}

// lastLine is the last line of a command's output, where most say why they failed.
func lastLine(output string) string {
	output = strings.TrimSpace(output)
	return fault.Clip(strings.TrimSpace(output[strings.LastIndexByte(output, '\n')+1:]))
}

// categoryKept is that of a call whose changes wait for a person.
const categoryKept = "kept"

// toolAgent is who calls the tools of tool tasks, for the records.
const toolAgent = "tools"
