package openai

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

// What a server counts wrong gives no budget back, not in a sum of many answers either.
func TestCountsAreWhatThereCanBe(t *testing.T) {
	t.Parallel()
	for _, count := range []string{
		`{"prompt_tokens":-1000,"completion_tokens":-1000}`,
		`{"prompt_tokens":-1,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":-5,"cache_write_tokens":-5}}`,
		`{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807,"prompt_tokens_details":{"cached_tokens":9223372036854775807}}`,
	} {
		for _, c := range answered(t, text("x")+ended("stop")+sse(`{"choices":[],"usage":`+count+`}`)+done) {
			if u, ok := c.(model.Usage); ok && (min(u.InputTokens, u.OutputTokens, u.CacheReadTokens, u.CacheWriteTokens) < 0 ||
				max(u.InputTokens, u.OutputTokens, u.CacheReadTokens) > upstream.MaxTokenCount) {
				t.Errorf("%s is %+v", count, u)
			}
		}
	}
}

// Covers: turn-api REQ-12
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	begun := text("half")
	called := toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"{"}`)
	tests := []struct {
		name, stream string
		status       int
		category     model.Category
		transient    bool
	}{
		{"nothing", "", 502, model.StreamTruncated, true},
		{"no end", begun, 502, model.StreamTruncated, true},
		{"an end marker without a reason", begun + done, 502, model.StreamTruncated, true},
		{"cut in an event", begun + "data: {\"choices\":", 502, model.StreamTruncated, true},
		{"an error of the server", begun + sse(`{"error":{"message":"so it goes","type":"server_error"}}`), 500, model.APIResponseError, true},
		{"of vLLM", begun + sse(`{"error":{"message":"so it goes","type":"InternalServerError","param":null,"code":500}}`) + done, 500, model.APIResponseError, true},
		{"of an older vLLM", begun + sse(`{"object":"error","message":"so it goes","type":"BadRequestError","param":null,"code":400}`) + done, 400, model.APIResponseError, false},
		{"of Ollama", begun + sse(`{"error":{"message":"so it goes","type":"api_error","param":null,"code":null}}`), 500, model.APIResponseError, true},
		{"that is a text", begun + sse(`{"error":"so it goes"}`), 500, model.APIResponseError, true},
		{"that is a number", begun + sse(`{"error":42}`), 500, model.APIResponseError, true},
		{"rate limit in the stream", sse(`{"error":{"message":"slow","type":"requests","code":"rate_limit_exceeded"}}`), 429, model.RateLimited, true},
		{"not JSON", begun + sse("{{{"), 502, model.StreamInvalid, true},
		{"not an object", begun + sse("[]"), 502, model.StreamInvalid, true},
		{"text that is no text", begun + piece(`{"content":{"a":1}}`), 502, model.StreamTruncated, true},
		{"a call without a name", toolCall(`"index":0,"id":"a","function":{"arguments":"{}"}`) + ended("tool_calls") + done, 502, model.StreamInvalid, true},
		{"no call for its reason", piece(`{"reasoning":"Hm."}`) + ended("tool_calls") + done, 502, model.StreamInvalid, true},
		{"a function of the old form", piece(`{"function_call":{"name":"x","arguments":"{}"}}`) + ended("function_call") + done, 502, model.StreamInvalid, true},
		{"a call with half an input and no end", called + done, 502, model.StreamTruncated, true},
		{"calls without end", strings.Repeat(toolCall(`"id":"a","function":{"name":"x","arguments":"{}"}`)+toolCall(`"id":"b","function":{"name":"x","arguments":"{}"}`), 200), 502, model.StreamInvalid, false},
		{"a huge line", begun + "data: " + strings.Repeat("x", 5000) + "\n", 502, model.ResponseTooLarge, false},
		{"a huge answer", strings.Repeat(text("x"), 1000), 502, model.ResponseTooLarge, false},
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
				if b, ok := c.(model.Block); ok {
					if _, isCall := b.Content.(model.ToolCall); isCall {
						t.Error("a call came out of a broken stream")
					}
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
		return Options{NewID: func() string { return "made" }}.newProtocol(e, client)
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
		text("Hél", "lo 🎉"), ": a comment\n\n", piece(`{"reasoning_content":"Hm"}`),
		toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"{\"k\":"}`), toolCall(`"index":0,"function":{"arguments":"1}"}`),
		sse(`{"error":{"message":"so it goes"}}`), ended("tool_calls"), ended("stop"), counted, done, "\r\n", "data", "event: x\n",
	}, replying(t, reply), reply)
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(hello))
	f.Add([]byte(text("x") + ended("length")))
	f.Add([]byte(toolCall(`"id":"a","function":{"name":"x","arguments":{}}`) + ended("stop") + done))
	f.Add([]byte(sse(`{"error":{"code":7}}`)))
	reply := new(upstreamtest.Reply)
	p := replying(f, reply)
	f.Fuzz(func(t *testing.T, stream []byte) {
		reply.Body = iotest.HalfReader(bytes.NewReader(stream))
		got, err := upstreamtest.Collect(p.Stream(t.Context(), ask("x")))
		stops := 0
		for _, c := range got {
			switch c := c.(type) {
			case nil:
				t.Fatal("a nil chunk")
			case model.Stop:
				stops++
			case model.Block:
				if call, ok := c.Content.(model.ToolCall); ok && (call.ID == "" || call.Name == "" || len(call.Input) == 0) {
					t.Fatalf("half a call: %+v", call)
				}
			}
		}
		// Whole, without error, and with exactly one end: all or nothing.
		if whole := err == nil; whole != (stops == 1) {
			t.Fatalf("err=%v stops=%d", err, stops)
		}
		if err != nil {
			if f := fault.From(err); f.Status < 400 || f.Message == "" {
				t.Fatalf("%v is classified as %+v", err, f)
			}
		}
	})
}
