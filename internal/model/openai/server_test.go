package openai

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"belay/internal/model"
)

// The same answer as three kinds of servers send it: with reasoning, words, two
// calls and the usage, each in its own way.
//
// Covers: turn-api REQ-02, REQ-03
func TestWhatServersSend(t *testing.T) {
	t.Parallel()
	for file, ids := range map[string][2]string{
		"ollama.sse":   {"call_lbcjwr0u", "call_9d2kq01z"},
		"vllm.sse":     {"chatcmpl-tool-a494943accbbc022", "chatcmpl-tool-b120ab7bad790b75"},
		"llamacpp.sse": {"0mEe3xIT", "ifQ9SZ2c"},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		want := []model.Chunk{
			model.ThinkingDelta{Text: "Two files"},
			model.ThinkingDelta{Text: ", then."},
			model.Block{Content: model.Thinking{Text: "Two files, then."}},
			model.TextDelta{Text: "Reading."},
			model.Usage{InputTokens: 169, OutputTokens: 15},
			model.Block{Content: model.Text{Text: "Reading."}},
			model.Block{Content: model.ToolCall{ID: ids[0], Name: "read", Input: json.RawMessage(`{"path":"a"}`)}},
			model.Block{Content: model.ToolCall{ID: ids[1], Name: "read", Input: json.RawMessage(`{"path":"b"}`)}},
			model.Stop{Reason: model.StopToolUse},
		}
		sameJSON := cmp.Comparer(func(a, b json.RawMessage) bool {
			var x, y any
			return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
		})
		if diff := cmp.Diff(want, answered(t, string(data)), sameJSON); diff != "" {
			t.Errorf("%s: chunks (-want +got):\n%s", file, diff)
		}
	}
}

// toolCall is a chunk with a piece of a tool call.
func toolCall(fields string) string { return piece(`{"tool_calls":[{` + fields + `}]}`) }

// What the protocol does not allow, but servers do.
func TestToolCallsOfAllKinds(t *testing.T) {
	t.Parallel()
	call := func(id, name, input string) model.ToolCall {
		return model.ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}
	}
	tests := []struct {
		name, stream string
		want         []model.ToolCall
	}{
		{"whole, with one index", toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"{}"}`) + toolCall(`"index":0,"id":"b","function":{"name":"y","arguments":"{}"}`),
			[]model.ToolCall{call("a", "x", "{}"), call("b", "y", "{}")}},
		{"whole, without an index", toolCall(`"id":"a","function":{"name":"x","arguments":"{}"}`) + toolCall(`"id":"b","function":{"name":"y","arguments":"{}"}`),
			[]model.ToolCall{call("a", "x", "{}"), call("b", "y", "{}")}},
		{"whole, without id or index", toolCall(`"function":{"name":"x","arguments":"{}"}`) + toolCall(`"function":{"name":"x","arguments":"{}"}`),
			[]model.ToolCall{call("made_1", "x", "{}"), call("made_2", "x", "{}")}},
		{"several in one chunk", piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"y","arguments":""}}]}`),
			[]model.ToolCall{call("a", "x", "{}"), call("b", "y", "{}")}},
		{"interleaved", toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"{\"k\""}`) + toolCall(`"index":1,"id":"b","function":{"name":"y","arguments":"{"}`) +
			toolCall(`"index":0,"function":{"arguments":":1}"}`) + toolCall(`"index":1,"function":{"arguments":"}"}`),
			[]model.ToolCall{call("a", "x", `{"k":1}`), call("b", "y", "{}")}},
		{"the id and the name in every piece", toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"{\"k\":"}`) + toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"1}"}`),
			[]model.ToolCall{call("a", "x", `{"k":1}`)}},
		{"an empty id later", toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":""}`) + toolCall(`"index":0,"id":"","function":{"name":null,"arguments":"{}"}`),
			[]model.ToolCall{call("a", "x", "{}")}},
		{"interleaved by their ids alone", toolCall(`"id":"a","function":{"name":"x","arguments":"{\"k\""}`) + toolCall(`"id":"b","function":{"name":"y","arguments":"{"}`) +
			toolCall(`"id":"a","function":{"arguments":":1}"}`) + toolCall(`"id":"b","function":{"arguments":"}"}`),
			[]model.ToolCall{call("a", "x", `{"k":1}`), call("b", "y", "{}")}},
		{"without ids or arguments", toolCall(`"index":0,"function":{"name":"x","arguments":""}`) + toolCall(`"index":0,"function":{"name":"y","arguments":""}`),
			[]model.ToolCall{call("made_1", "x", "{}"), call("made_2", "y", "{}")}},
		{"the name once more at the end", toolCall(`"function":{"name":"x","arguments":"{}"}`) + toolCall(`"function":{"name":"x","arguments":""}`),
			[]model.ToolCall{call("made_1", "x", "{}")}},
		{"the name in every piece, without an id", toolCall(`"function":{"name":"x","arguments":""}`) + toolCall(`"function":{"name":"x","arguments":"{\"k\":"}`) + toolCall(`"function":{"name":"x","arguments":"1}"}`),
			[]model.ToolCall{call("made_1", "x", `{"k":1}`)}},
		{"arguments that are no string", toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":{"k":[1]}}`), []model.ToolCall{call("a", "x", `{"k":[1]}`)}},
		{"arguments that are null", toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":null}`), []model.ToolCall{call("a", "x", "{}")}},
		{"the word null", toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"null"}`), []model.ToolCall{call("a", "x", "{}")}},
		{"arguments that are no JSON", toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"{\"k\": oops"}`),
			[]model.ToolCall{call("a", "x", `{"arguments that are no JSON object":"{\"k\": oops"}`)}},
		{"arguments that are no object", toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":[1]}`),
			[]model.ToolCall{call("a", "x", `{"arguments that are no JSON object":"[1]"}`)}},
		{"other numbers", toolCall(`"index":7,"id":"a","function":{"name":"x","arguments":"{}"}`) + toolCall(`"index":-1,"id":"b","function":{"name":"y","arguments":"{}"}`),
			[]model.ToolCall{call("a", "x", "{}"), call("b", "y", "{}")}},
	}
	for _, tt := range tests {
		for _, reason := range []string{"tool_calls", "stop"} { // some say "stop" after calls
			var got []model.ToolCall
			chunks := answered(t, tt.stream+ended(reason)+done)
			for _, c := range chunks {
				if b, ok := c.(model.Block); ok {
					got = append(got, b.Content.(model.ToolCall))
				}
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: calls (-want +got):\n%s", tt.name, diff)
			}
			if last := chunks[len(chunks)-1]; last != (model.Stop{Reason: model.StopToolUse}) {
				t.Errorf("%s: ended with %v", tt.name, last)
			}
		}
	}
}

func TestHowAnswersEnd(t *testing.T) {
	t.Parallel()
	begun := toolCall(`"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"rm -rf /tmp/x"}`)
	tests := []struct {
		name, stream string
		want         model.StopReason
		chunks       int
	}{
		{"whole", text("x") + ended("stop") + done, model.StopEndTurn, 3},
		{"without an end marker", text("x") + ended("stop"), model.StopEndTurn, 3},
		{"without usage", text("x") + ended("stop") + done, model.StopEndTurn, 3},
		{"usage in every chunk", sse(`{"choices":[{"index":0,"delta":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`) + ended("stop") + counted + done, model.StopEndTurn, 5},
		{"the reason with the last piece", sse(`{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}],"usage":null}`) + done, model.StopEndTurn, 3},
		{"cut off", text("x") + ended("length") + done, model.StopMaxTokens, 3},
		{"cut off in a call", begun + ended("length") + done, model.StopMaxTokens, 1},
		{"filtered in a call", begun + ended("content_filter") + done, model.StopRefusal, 1},
		{"refused", piece(`{"refusal":"I cannot."}`) + ended("stop") + done, model.StopRefusal, 3},
		{"nothing said", ended("stop") + done, model.StopEndTurn, 1},
		{"Anthropic's word after a call", toolCall(`"index":0,"id":"a","function":{"name":"list","arguments":"{}"}`) + ended("end_turn") + done, model.StopToolUse, 2},
		{"Anthropic's word for calls after a text", text("x") + ended("tool_use") + done, model.StopEndTurn, 3},
		{"unknown", text("x") + ended("brand_new") + done, "brand_new", 3},
		{"another choice", sse(`{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}]}`) + text("x") + ended("stop") + done, model.StopEndTurn, 3},
		{"comments and keep-alives", ": ping\n\n" + text("x") + "event: ping\ndata: {}\n\n" + ended("stop") + done, model.StopEndTurn, 3},
		{"reasoning that is no text", piece(`{"reasoning":{"summary":[]},"content":"x"}`) + ended("stop") + done, model.StopEndTurn, 3},
	}
	for _, tt := range tests {
		got := answered(t, tt.stream)
		if len(got) != tt.chunks || got[len(got)-1] != (model.Stop{Reason: tt.want}) {
			t.Errorf("%s: %v, want %d chunks and %s", tt.name, got, tt.chunks, tt.want)
		}
	}
}

// Some servers say in every chunk that there is no error. A word about it in the text is no field.
func TestChunksThatSayThatThereIsNoError(t *testing.T) {
	t.Parallel()
	want := answered(t, text(`the "error": null`, "lo")+ended("stop")+counted+done)
	for _, none := range []string{"null", "false", `""`, "{}"} {
		stream := strings.ReplaceAll(text(`the "error": null`, "lo")+ended("stop")+counted, `{"id":"c",`, `{"id":"c","error":`+none+`,`)
		if diff := cmp.Diff(want, answered(t, stream+sse(`{"error": `+none+`}`)+done)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", none, diff)
		}
	}
}
