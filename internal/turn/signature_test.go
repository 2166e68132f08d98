package turn

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/tool"
)

// A call keeps its signature in its turn, in later ones, and for another process.
func TestCallsKeepTheirSignature(t *testing.T) {
	t.Parallel()
	r := newRig(t, withTools(t, act{"look", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "seen"}, nil
	}}))
	signed := call("a", "look")
	signed.Signature = `{"model":"m","extra_content":{}}`
	r.provider.does(asks(signed, call("b", "look")))
	want := []string{signed.Signature, ""}
	check := func(when string) {
		t.Helper()
		var got []string
		for _, m := range r.provider.last(t).Messages() {
			for _, c := range m.Content {
				if c, ok := c.(model.ToolCall); ok {
					got = append(got, c.Signature)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	id := r.session()
	r.say(id, "look")
	check("in the turn")
	r.provider.does(says("yes"))
	r.say(id, "again")
	check("in the next turn")
	r.open(withTools(t))
	r.say(id, "and again")
	check("after a restart")
}
