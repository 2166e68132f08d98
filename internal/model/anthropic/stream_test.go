package anthropic

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

// Covers: turn-api REQ-02, REQ-03
func TestAnswer(t *testing.T) {
	t.Parallel()
	stream := started + ping +
		opened(0, `{"type":"thinking","thinking":"","signature":""}`) +
		grown(0, `{"type":"thinking_delta","thinking":"Hm."}`) +
		grown(0, `{"type":"signature_delta","signature":"c2ln"}`) + closed(0) +
		opened(1, `{"type":"redacted_thinking","data":"b3BhcXVl"}`) + closed(1) +
		text(2, "Hel", "lo") +
		opened(3, `{"type":"tool_use","id":"t1","name":"read","input":{}}`) +
		grown(3, `{"type":"input_json_delta","partial_json":"{\"path\""}`) +
		grown(3, `{"type":"input_json_delta","partial_json":":\"a\"}"}`) + closed(3) +
		opened(4, `{"type":"tool_use","id":"t2","name":"list","input":{}}`) + closed(4) +
		text(5, "and") +
		ended("tool_use") + sse("news", `{"type":"news"}`) + stopped
	got, err := upstreamtest.Collect(provider(t, upstreamtest.Streaming(t, stream)).Stream(t.Context(), ask("x")))
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Chunk{
		model.Usage{InputTokens: 11, OutputTokens: 1, CacheReadTokens: 3, CacheWriteTokens: 2},
		model.ThinkingDelta{Text: "Hm."},
		model.Block{Content: model.Thinking{Text: "Hm.", Signature: "c2ln"}},
		model.Block{Content: model.Thinking{Redacted: "b3BhcXVl"}},
		model.TextDelta{Text: "Hel"},
		model.TextDelta{Text: "lo"},
		model.Block{Content: model.Text{Text: "Hello"}},
		model.TextDelta{Text: "and"},
		model.Usage{InputTokens: 11, OutputTokens: 7, CacheReadTokens: 3, CacheWriteTokens: 2},
		model.Block{Content: model.ToolCall{ID: "t1", Name: "read", Input: json.RawMessage(`{"path":"a"}`)}},
		model.Block{Content: model.ToolCall{ID: "t2", Name: "list", Input: json.RawMessage(`{}`)}},
		model.Block{Content: model.Text{Text: "and"}},
		model.Stop{Reason: model.StopToolUse},
	}
	if diff := cmp.Diff(want, upstreamtest.Substance(got)); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
	pings, held := 0, 0
	for _, c := range got {
		switch c {
		case model.Alive{}:
			pings++
		case model.Alive{Content: true}:
			held++
		}
	}
	if pings != 2 || held == 0 {
		t.Errorf("%d keep-alives and %d signs of content, want the ping and the unknown event, and the calls", pings, held)
	}
}

// A model that writes input which is no JSON object hears of it from the tool.
func TestCallsWithBadInput(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`{"path":`: `{"arguments that are no JSON object":"{\"path\":"}`,
		`[1]`:      `{"arguments that are no JSON object":"[1]"}`,
		"null":     `{}`,
		"":         `{}`,
	} {
		piece, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		stream := started + opened(0, `{"type":"tool_use","id":"t","name":"read","input":{}}`) +
			grown(0, `{"type":"input_json_delta","partial_json":`+string(piece)+`}`) + closed(0) + ended("tool_use") + stopped
		got, err := upstreamtest.Collect(provider(t, upstreamtest.Streaming(t, stream)).Stream(t.Context(), ask("x")))
		if err != nil {
			t.Errorf("%s: %v", written, err)
			continue
		}
		wanted := []model.Chunk{
			model.Block{Content: model.ToolCall{ID: "t", Name: "read", Input: json.RawMessage(want)}}, model.Stop{Reason: model.StopToolUse},
		}
		if diff := cmp.Diff(wanted, upstreamtest.Substance(got)[2:]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", written, diff)
		}
	}
}

// A tool call that was cut off must not be seen, so that nobody can run it.
func TestNoToolCallUnlessTheModelStoppedForIt(t *testing.T) {
	t.Parallel()
	stream := started + opened(0, `{"type":"tool_use","id":"t","name":"bash","input":{}}`) +
		grown(0, `{"type":"input_json_delta","partial_json":"{\"command\":\"rm -rf /tmp/x"}`) + closed(0) +
		text(1, "oh") + ended("max_tokens") + stopped
	got, err := upstreamtest.Collect(provider(t, upstreamtest.Streaming(t, stream)).Stream(t.Context(), ask("x")))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got {
		if b, ok := c.(model.Block); ok {
			if _, isCall := b.Content.(model.ToolCall); isCall {
				t.Errorf("a cut tool call came out: %+v", b)
			}
		}
	}
	if stop := got[len(got)-1]; stop != (model.Stop{Reason: model.StopMaxTokens}) {
		t.Errorf("stopped with %v", stop)
	}
}

func TestStopReasons(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]model.StopReason{
		"end_turn": model.StopEndTurn, "max_tokens": model.StopMaxTokens, "stop_sequence": model.StopSequence,
		"pause_turn": model.StopPause, "refusal": model.StopRefusal,
		"model_context_window_exceeded": model.StopContext, "brand_new": "brand_new",
		// What belay itself may say of a turn.
		"budget": "unknown", "max_turns": "unknown", "repeated_refusal": "unknown",
		"[2J two words": "unknown", strings.Repeat("x", 65): "unknown",
	} {
		got, err := upstreamtest.Collect(provider(t, upstreamtest.Streaming(t, started+text(0, "x")+ended(from)+stopped)).Stream(t.Context(), ask("x")))
		if err != nil || got[len(got)-1] != (model.Stop{Reason: want}) {
			t.Errorf("%s gives %v, %v", from, got, err)
		}
	}
}

// Covers: turn-api REQ-12
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	begun := started + opened(0, `{"type":"text","text":""}`) + grown(0, `{"type":"text_delta","text":"half"}`)
	failing := func(kind string) string {
		return sse("error", `{"type":"error","error":{"type":"`+kind+`","message":"so it goes"}}`)
	}
	tests := []struct {
		name, stream string
		status       int
		category     model.Category
		transient    bool
	}{
		{"nothing", "", 502, model.StreamTruncated, true},
		{"no end marker", begun + closed(0) + ended("end_turn"), 502, model.StreamTruncated, true},
		{"cut in an event", begun + "event: content_block_delta\ndata: {\"type\":", 502, model.StreamTruncated, true},
		{"end marker in a block", begun + stopped, 502, model.StreamInvalid, true},
		{"end marker without a reason", started + stopped, 502, model.StreamInvalid, true},
		{"overloaded", started + failing("overloaded_error"), 529, model.APIResponseError, true},
		{"overloaded after text", begun + failing("overloaded_error"), 529, model.APIResponseError, true},
		{"rate limit in the stream", started + failing("rate_limit_error"), 429, model.RateLimited, true},
		{"request error in the stream", started + failing("invalid_request_error"), 400, model.APIResponseError, false},
		{"unknown error in the stream", started + failing("whatever"), 502, model.APIResponseError, true},
		{"an error that is no JSON", sse("error", "boom"), 502, model.StreamInvalid, true},
		{"garbage", started + sse("content_block_delta", "{{{"), 502, model.StreamInvalid, true},
		{"a delta without a block", started + grown(0, `{"type":"text_delta","text":"x"}`), 502, model.StreamInvalid, true},
		{"a delta for another block", begun + grown(1, `{"type":"text_delta","text":"x"}`), 502, model.StreamInvalid, true},
		{"a block in a block", begun + text(1, "x"), 502, model.StreamInvalid, true},
		{"a tool call without a name", started + opened(0, `{"type":"tool_use","id":"t"}`) + closed(0) + ended("tool_use") + stopped, 502, model.StreamInvalid, true},
		{"no call for its reason", started + ended("tool_use") + stopped, 502, model.StreamInvalid, true},
		{"calls without end", started + strings.Repeat(opened(0, `{"type":"tool_use","id":"t","name":"n"}`)+closed(0), upstream.MaxCalls+1) + ended("tool_use") + stopped, 502, model.StreamInvalid, false},
		{"a huge line", started + "data: " + strings.Repeat("x", 5000) + "\n", 502, model.ResponseTooLarge, false},
		{"a huge answer", started + strings.Repeat(ping, 1000), 502, model.ResponseTooLarge, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, upstreamtest.Streaming(t, tt.stream), func(o *Options) {
				if strings.HasPrefix(tt.name, "a huge") {
					o.MaxLine, o.MaxAnswer = 4096, 16<<10
				}
			})
			got, err := upstreamtest.Collect(p.Stream(t.Context(), ask("x")))
			wants(t, err, tt.status, tt.category, tt.transient)
			for _, c := range got {
				if _, ok := c.(model.Stop); ok {
					t.Error("a broken stream ended as if it were whole")
				}
			}
		})
	}
}

// replying returns a provider whose answers come from reply.
func replying(t testing.TB, reply *upstreamtest.Reply) *upstream.Provider {
	t.Helper()
	o := upstream.Options{Key: func() string { return testKey }, MaxLine: 1 << 16}
	p, err := upstream.New(service, o, func(e upstream.Endpoint, client *http.Client) upstream.Protocol {
		client.Transport = reply
		return Options{}.newProtocol(e, client)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestChunksDoNotDependOnTheSplit(t *testing.T) {
	t.Parallel()
	reply := new(upstreamtest.Reply)
	upstreamtest.Splits(t, []string{
		started, ping, text(0, "Hél", "lo 🎉"), ": a comment\n\n",
		opened(1, `{"type":"tool_use","id":"t","name":"n","input":{}}`), grown(1, `{"type":"input_json_delta","partial_json":"{\"a\":1}"}`), closed(1),
		sse("error", `{"type":"error","error":{"type":"overloaded_error"}}`), ended("tool_use"), stopped, "\r\n", "data", "event: x\n",
	}, replying(t, reply), reply)
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(hello))
	f.Add([]byte(started + text(0, "x") + ended("max_tokens") + stopped))
	f.Add([]byte("data: {}\n\nevent: message_stop\n\n"))
	reply := new(upstreamtest.Reply)
	p := replying(f, reply)
	f.Fuzz(func(t *testing.T, stream []byte) {
		reply.Body = iotest.HalfReader(bytes.NewReader(stream))
		got, err := upstreamtest.Collect(p.Stream(t.Context(), ask("x")))
		stops := 0
		for _, c := range got {
			switch c.(type) {
			case nil:
				t.Fatal("a nil chunk")
			case model.Stop:
				stops++
			}
		}
		// Whole, without error, and with exactly one end: all or nothing.
		ended := false
		if len(got) > 0 {
			_, ended = got[len(got)-1].(model.Stop)
		}
		if whole := err == nil; whole != (stops == 1) || whole && !ended {
			t.Fatalf("err=%v stops=%d chunks=%v", err, stops, got)
		}
		if err != nil {
			if f := fault.From(err); f.Status < 400 || f.Message == "" {
				t.Fatalf("%v is classified as %+v", err, f)
			}
		}
	})
}

// A gateway that says that the answer is over has given whole calls. One that was cut off has not.
func TestCallsBeforeAnotherReason(t *testing.T) {
	t.Parallel()
	calls := started + opened(0, `{"type":"tool_use","id":"t","name":"list","input":{}}`) + closed(0)
	for reason, want := range map[string]model.StopReason{
		"end_turn": model.StopToolUse, "tool_use": model.StopToolUse, "max_tokens": model.StopMaxTokens, "refusal": model.StopRefusal, "pause_turn": model.StopPause,
	} {
		got, err := upstreamtest.Collect(provider(t, upstreamtest.Streaming(t, calls+ended(reason)+stopped)).Stream(t.Context(), ask("x")))
		made := slices.ContainsFunc(got, func(c model.Chunk) bool { _, is := c.(model.Block); return is })
		if err != nil || got[len(got)-1] != (model.Stop{Reason: want}) || made != (want == model.StopToolUse) {
			t.Errorf("%s gives %v, %v", reason, got, err)
		}
	}
}

// A text that ended for calls and has none is the answer, as with OpenAI's protocol.
func TestTextThatEndedForCalls(t *testing.T) {
	t.Parallel()
	got, err := upstreamtest.Collect(provider(t, upstreamtest.Streaming(t, started+text(0, "I call.")+ended("tool_use")+stopped)).Stream(t.Context(), ask("x")))
	if err != nil || got[len(got)-1] != (model.Stop{Reason: model.StopEndTurn}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// A piece of nothing says nothing of when the answer comes.
func TestEmptyPiecesAreKeepAlives(t *testing.T) {
	t.Parallel()
	for block, pieces := range map[string][2]string{
		`{"type":"text","text":""}`:                          {`{"type":"text_delta","text":""}`, `{"type":"text_delta","text":"x"}`},
		`{"type":"thinking","thinking":""}`:                  {`{"type":"signature_delta","signature":""}`, `{"type":"signature_delta","signature":"x"}`},
		`{"type":"tool_use","id":"t","name":"n","input":{}}`: {`{"type":"input_json_delta","partial_json":""}`, `{"type":"input_json_delta","partial_json":"{}"}`},
	} {
		alive := func(piece string) int {
			stream := started + opened(0, block) + strings.Repeat(grown(0, piece), 100) + closed(0) + ended("end_turn") + stopped
			got, err := upstreamtest.Collect(provider(t, upstreamtest.Streaming(t, stream)).Stream(t.Context(), ask("x")))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, c := range got {
				if c == (model.Alive{}) {
					n++
				}
			}
			return n
		}
		if nothing, something := alive(pieces[0]), alive(pieces[1]); nothing-something != 100 {
			t.Errorf("%s: %d keep-alives, and %d of pieces with content", block, nothing, something)
		}
	}
}
