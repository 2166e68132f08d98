package anthropic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-test/key+with=odd&chars 0123"

// provider returns a provider for the service at url that leaves nothing behind.
func provider(t testing.TB, url string, change ...func(*Options)) *upstream.Provider {
	t.Helper()
	o := Options{Options: upstream.Options{Key: func() string { return strings.ReplaceAll(testKey, " ", "_") }, BaseURL: url}}
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
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream)
	})
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
			f.Type, f.Status, f.Details, f.Message, !transient == (passing == nil), status, category, transient)
	}
	return f
}

// stored is content in memory.
type stored []byte

func (stored) SHA256() string                 { return "" }
func (s stored) Size() int64                  { return int64(len(s)) }
func (s stored) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s)), nil }
