package anthropic

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

// replayed is the content of the message at i of a request that a service got.
func replayed(t *testing.T, r model.Request, i int) []any {
	t.Helper()
	url, last := recorder(t)
	if _, err := upstreamtest.Collect(provider(t, url).Stream(t.Context(), r)); err != nil {
		t.Fatal(err)
	}
	return last().body["messages"].([]any)[i].(object)["content"].([]any)
}

// after is a request after some calls and what came of them.
func after(calls, outputs []model.Content) model.Request {
	r := ask("go")
	r.History, r.Prompt = append(r.Messages(), model.Message{Role: model.Assistant, Content: calls}, model.Message{Role: model.User, Content: outputs}), nil
	return r
}

// The service takes the mark of a failure beside texts alone.
func TestFailedCallWithAnImage(t *testing.T) {
	t.Parallel()
	image := attachment.ImagePart{MIMEType: "image/png", Content: upstreamtest.Stored("x")}
	words := attachment.TextPart{Text: "the page did not load"}
	calls := []model.Content{model.ToolCall{ID: "a", Name: "shot"}, model.ToolCall{ID: "b", Name: "shot"}, model.ToolCall{ID: "c", Name: "shot"}}
	got := replayed(t, after(calls, []model.Content{
		model.ToolOutput{CallID: "a", Failed: true, Parts: []attachment.Part{words, image}},
		model.ToolOutput{CallID: "b", Failed: true, Parts: []attachment.Part{words}},
		model.ToolOutput{CallID: "c", Parts: []attachment.Part{words, image}},
	}), 2)
	said := object{"type": "text", "text": "the page did not load"}
	sent := object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": "eA=="}}
	want := []any{
		object{"type": "tool_result", "tool_use_id": "a", "content": []any{object{"type": "text", "text": "The call failed."}, said, sent}},
		object{"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": []any{said}},
		object{"type": "tool_result", "tool_use_id": "c", "content": []any{said, sent}},
	}
	delete(got[2].(object), "cache_control")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// Whatever models wrote earlier, the service takes it back.
func TestReplayedConversationsAreTaken(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := upstreamtest.Replayed(t)
		b := builder{files: new(upstream.Files), inline: upstream.InlineText}
		params, err := b.params(r, model.Anthropic().Limits(r.Model))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := params.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if wrong := upstreamtest.Refusal(raw); wrong != "" {
			t.Fatalf("%s: %s", wrong, raw)
		}
	})
}
