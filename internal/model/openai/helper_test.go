package openai

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
	n := 0
	o := Options{
		Options: upstream.Options{Key: func() string { return testKey }, BaseURL: url},
		NewID:   func() string { n++; return fmt.Sprintf("made_%d", n) },
	}
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

// The parts that answers are made of.

func sse(data string) string { return "data: " + data + "\n\n" }

func piece(delta string) string {
	return sse(`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`)
}

func text(pieces ...string) (s string) {
	for _, p := range pieces {
		s += piece(fmt.Sprintf(`{"content":%q}`, p))
	}
	return s
}

func ended(reason string) string {
	return sse(`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`)
}

const (
	counted = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7,\"total_tokens\":18,\"prompt_tokens_details\":{\"cached_tokens\":3}}}\n\n"
	done    = "data: [DONE]\n\n"
)

// hello is a whole answer.
var hello = piece(`{"role":"assistant","content":""}`) + text("Hel", "lo") + ended("stop") + counted + done

func ask(words string) model.Request {
	return model.Request{Model: "gpt-4.1", Prompt: model.StringPrompt(words)}
}

// answered is the substance of what the provider makes of a stream.
func answered(t testing.TB, stream string) []model.Chunk {
	t.Helper()
	got, err := upstreamtest.Collect(provider(t, upstreamtest.Streaming(t, stream)).Stream(t.Context(), ask("x")))
	if err != nil {
		t.Fatal(err)
	}
	return upstreamtest.Substance(got)
}

// kit is the provider as the suite of all providers sees it. Half of an answer is not
// enough even behind the reason why it ended.
var kit = upstreamtest.Kit{
	Name: Name, Hello: hello, Chunks: 5, Half: text("half") + ended("stop"),
	Shown: text("half"),
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
