package openai

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"belay/internal/model"
	"belay/internal/model/upstream/upstreamtest"
)

// Whatever models wrote earlier, the service takes it back. OpenAI's own host takes ids
// of 40 bytes and names of 64.
func TestReplayedConversationsAreTaken(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := upstreamtest.Replayed(t)
		for _, own := range []bool{true, false} {
			raw, _ := sent(t, r, func(b *builder) { b.own = own })
			if wrong := upstreamtest.Refusal(raw); wrong != "" {
				t.Fatalf("%s: %s", wrong, raw)
			}
			for _, m := range decoded(t, raw)["messages"].([]any) {
				calls, _ := m.(object)["tool_calls"].([]any)
				for _, c := range calls {
					id, name := c.(object)["id"].(string), c.(object)["function"].(object)["name"].(string)
					if own && len(id) > 40 || len(name) > 64 {
						t.Fatalf("own host %v: the call %q of %q is too long", own, id, name)
					}
				}
			}
		}
	})
}

// A server gets its own ids back as they are: the template of its model may show them.
func TestServersGetTheirOwnIDs(t *testing.T) {
	t.Parallel()
	r := ask("go")
	r.History, r.Prompt = append(r.Messages(),
		model.Message{Role: model.Assistant, Content: []model.Content{model.ToolCall{ID: "functions.bash:0", Name: "bash"}}},
		model.Message{Role: model.User, Content: []model.Content{model.ToolOutput{CallID: "functions.bash:0"}}}), nil
	raw, _ := sent(t, r, nil)
	messages := decoded(t, raw)["messages"].([]any)
	call := messages[1].(object)["tool_calls"].([]any)[0].(object)["id"]
	if got := fmt.Sprint(call, " ", messages[2].(object)["tool_call_id"]); got != "functions.bash:0 functions.bash:0" {
		t.Errorf("ids %s", got)
	}
}
