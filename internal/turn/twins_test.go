package turn

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/tool"
)

// Two calls of one answer with one id have a result each, and the events, the model and
// later turns see them under the same ids.
func TestCallsOfOneAnswerWithOneID(t *testing.T) {
	t.Parallel()
	r := newRig(t, withTools(t, act{"look", permit.Read, func(_ context.Context, _ *tool.Environment, in json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "saw " + string(in)}, nil
	}}))
	look := func(what string) model.ToolCall {
		return model.ToolCall{ID: "x", Name: "look", Input: json.RawMessage(`{"for":"` + what + `"}`)}
	}
	r.provider.does(asks(look("a"), look("b"), look("c")))
	id := r.session()
	events := r.say(id, "look around")
	want := map[string]string{"x": `saw {"for":"a"}`, "x_2": `saw {"for":"b"}`, "x_3": `saw {"for":"c"}`}
	if diff := cmp.Diff(want, r.provider.outputs(t)); diff != "" {
		t.Errorf("results of the turn (-want +got):\n%s", diff)
	}
	told := map[string]string{}
	for _, e := range events {
		if e.Type == event.ToolResult {
			var o event.ToolOutcome
			must(t, decode(e, &o))
			told[o.ToolCallID] = o.Output
		}
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	r.provider.does(says("yes"))
	r.say(id, "again")
	later := map[string]string{}
	for _, m := range r.provider.last(t).Messages() {
		for _, c := range m.Content {
			if o, ok := c.(model.ToolOutput); ok {
				later[o.CallID] = partText(o.Parts[0])
			}
		}
	}
	if diff := cmp.Diff(want, later); diff != "" {
		t.Errorf("results in the next turn (-want +got):\n%s", diff)
	}
}
