package openai

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
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

// serve starts a service that answers with h.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// streaming answers every request with the bytes of an event stream.
func streaming(t testing.TB, stream string) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, stream)
	})
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

func collect(seq iter.Seq2[model.Chunk, error]) (chunks []model.Chunk, err error) {
	for c, e := range seq {
		if e != nil {
			return chunks, e
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

// substance is chunks without the signs of life.
func substance(chunks []model.Chunk) (s []model.Chunk) {
	for _, c := range chunks {
		if _, alive := c.(model.Alive); !alive {
			s = append(s, c)
		}
	}
	return s
}

// answered is the substance of what the provider makes of a stream.
func answered(t testing.TB, stream string) []model.Chunk {
	t.Helper()
	got, err := collect(provider(t, streaming(t, stream)).Stream(t.Context(), ask("x")))
	if err != nil {
		t.Fatal(err)
	}
	return substance(got)
}

// wants checks status and category of an error, and whether it may pass.
func wants(t *testing.T, err error, status int, category model.Category, transient bool) *fault.Error {
	t.Helper()
	f := fault.From(err)
	if f == nil {
		t.Fatalf("no error, want %d %s", status, category)
	}
	var passing *model.TransientError
	if f.Type != fault.SDKFailure || f.Status != status || f.Details["category"] != string(category) ||
		f.Details["provider"] != Name || errors.As(err, &passing) != transient {
		t.Errorf("got %s %d %v (%v) transient=%v, want %d %s transient=%v",
			f.Type, f.Status, f.Details, f.Message, passing != nil, status, category, transient)
	}
	return f
}
