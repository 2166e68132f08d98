package anthropic

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-test/key+with=odd&chars_0123"

// provider returns a provider for the service at url that leaves nothing behind.
func provider(t testing.TB, url string, change ...func(*Options)) *upstream.Provider {
	t.Helper()
	o := Options{Options: upstream.Options{Key: func() string { return testKey }, BaseURL: url}}
	for _, c := range change {
		c(&o)
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// sse writes one event.
func sse(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

// The parts that answers are made of.
var (
	started = sse("message_start", `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":11,"cache_read_input_tokens":3,"cache_creation_input_tokens":2,"output_tokens":1}}}`)
	stopped = sse("message_stop", `{"type":"message_stop"}`)
	ping    = sse("ping", `{"type":"ping"}`)
)

func opened(index int, block string) string {
	return sse("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block))
}

func grown(index int, delta string) string {
	return sse("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, delta))
}

func closed(index int) string {
	return sse("content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

func ended(reason string) string {
	return sse("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":7}}`, reason))
}

func text(index int, pieces ...string) string {
	s := opened(index, `{"type":"text","text":""}`)
	for _, p := range pieces {
		s += grown(index, fmt.Sprintf(`{"type":"text_delta","text":%q}`, p))
	}
	return s + closed(index)
}

// hello is a whole answer.
var hello = started + ping + text(0, "Hel", "lo") + ended("end_turn") + stopped

func ask(words string) model.Request {
	return model.Request{Model: "claude-sonnet-4-20250514", Prompt: model.StringPrompt(words)}
}

// kit is the provider as the suite of all providers sees it.
var kit = upstreamtest.Kit{
	Name: Name, Hello: hello, Chunks: 6, Half: started + ping,
	Shown: started + opened(0, `{"type":"text","text":""}`) + grown(0, `{"type":"text_delta","text":"half"}`),
	New: func(t testing.TB, url string, change ...func(*upstream.Options)) *upstream.Provider {
		return provider(t, url, func(o *Options) {
			for _, c := range change {
				c(&o.Options)
			}
		})
	},
}

// wants checks status and category of an error, and whether it may pass.
func wants(t *testing.T, err error, status int, category model.Category, transient bool) *fault.Error {
	t.Helper()
	return upstreamtest.Wants(t, Name, err, status, category, transient)
}

// Covers: turn-api REQ-03, REQ-12
func TestAsEveryProvider(t *testing.T) { kit.Run(t) }
