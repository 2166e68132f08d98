package turn

import (
	"context"
	"encoding/json"
	"testing"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/tool"
)

// A notice that a provider repeats for every call is one warning of the turn.
func TestNoticesOfAProvider(t *testing.T) {
	t.Parallel()
	r := newRig(t, withTools(t, act{"look", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "seen"}, nil
	}}))
	calls := asks(call("a", "look"))
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if yield(model.Notice{Code: "EFFORT_NOT_SENT", Message: "not this one"}, nil) {
			calls(ctx, q, yield)
		}
	})
	id := r.session()
	for turn := range 2 {
		told := 0
		for _, e := range r.say(id, "look") {
			if e.Type == event.TurnWarning {
				var w event.Warning
				must(t, decode(e, &w))
				if w.Code == "EFFORT_NOT_SENT" {
					told++
				}
			}
		}
		if told != 1 {
			t.Errorf("turn %d: told %d times", turn, told)
		}
	}
}
