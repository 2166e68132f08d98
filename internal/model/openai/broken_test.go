package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

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
		{"not JSON", begun + sse("{{{"), 502, model.StreamInvalid, false},
		{"not an object", begun + sse("[]"), 502, model.StreamInvalid, false},
		{"text that is no text", begun + piece(`{"content":{"a":1}}`), 502, model.StreamInvalid, false},
		{"a call without a name", toolCall(`"index":0,"id":"a","function":{"arguments":"{}"}`) + ended("tool_calls") + done, 502, model.StreamInvalid, false},
		{"a call with half an input and no end", called + done, 502, model.StreamTruncated, true},
		{"calls without end", strings.Repeat(toolCall(`"id":"a","function":{"name":"x","arguments":"{}"}`)+toolCall(`"id":"b","function":{"name":"x","arguments":"{}"}`), 200), 502, model.StreamInvalid, false},
		{"a huge line", begun + "data: " + strings.Repeat("x", 5000) + "\n", 502, model.ResponseTooLarge, false},
		{"a huge answer", strings.Repeat(text("x"), 1000), 502, model.ResponseTooLarge, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, streaming(t, tt.stream), func(o *Options) {
				if strings.HasPrefix(tt.name, "a huge") {
					o.MaxLine, o.MaxAnswer = 4096, 16<<10
				}
			})
			got, err := collect(p.Stream(t.Context(), ask("x")))
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

func TestNotAnEventStream(t *testing.T) {
	t.Parallel()
	for kind, body := range map[string]string{
		"text/html":        "<html>Sign in",
		"application/json": `{"object":"chat.completion","choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}`,
		"":                 text("x") + ended("stop") + done,
	} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{kind}
			_, _ = io.WriteString(w, body)
		})
		_, err := collect(provider(t, url).Stream(t.Context(), ask("x")))
		wants(t, err, 502, model.StreamInvalid, false)
	}
}

// Covers: turn-api REQ-12
func TestConnectionErrors(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String()
	closed.Close()
	hangUp := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			c.Close()
		}
	})
	midway := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(w, text("half")+ended("stop")) // even behind the reason
	})
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0)
	stranger.StartTLS()
	t.Cleanup(stranger.Close)
	for name, tt := range map[string]struct {
		url       string
		transient bool
	}{
		"nobody listens": {nobody, true}, "the service hangs up": {hangUp, true},
		"and in the middle": {midway, true}, "the certificate is a stranger's": {stranger.URL, false},
	} {
		_, err := collect(provider(t, tt.url).Stream(t.Context(), ask("x")))
		f := wants(t, err, 503, model.NetworkError, tt.transient)
		if cause, _ := f.Details["cause"].(string); cause == "" || !strings.Contains(f.Hint, "openai.base_url") {
			t.Errorf("%s: details %v, hint %q", name, f.Details, f.Hint)
		}
	}
}

func TestNoAnswerInTime(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	url := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	p := provider(t, url, func(o *Options) { o.HeaderTimeout = 20 * time.Millisecond })
	_, err := collect(p.Stream(t.Context(), ask("x")))
	wants(t, err, 504, model.RequestTimeout, false)
}

func TestRetriesAreNotTheSDKs(t *testing.T) {
	t.Parallel()
	calls := 0
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(429)
	})
	if _, err := collect(provider(t, url).Stream(t.Context(), ask("x"))); err == nil || calls != 1 {
		t.Errorf("%d calls and %v, want 1 and an error", calls, err)
	}
	var waits []time.Duration
	retrying := model.WithRetry(provider(t, url), model.RetryPolicy{
		Attempts: 3, Base: time.Second, Max: time.Minute, Jitter: func() float64 { return 1 },
		Sleep: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil },
	})
	calls = 0
	_, err := collect(retrying.Stream(t.Context(), ask("x")))
	wants(t, err, 429, model.RateLimited, true)
	if diff := cmp.Diff([]time.Duration{7 * time.Second, 7 * time.Second}, waits); diff != "" || calls != 3 {
		t.Errorf("%d calls, waits (-want +got):\n%s", calls, diff)
	}
}

// read is what the provider makes of a body.
func read(body io.Reader) (got []model.Chunk, whole bool, err error) {
	a := answer{yield: func(c model.Chunk, _ error) bool { got = append(got, c); return true }, newID: func() string { return "made" }, reasonsIn: new(atomic.Pointer[string])}
	whole, err = upstream.Read(context.Background(), body, 1<<16, &a)
	return got, whole, err
}

// The chunks must not depend on how the network cuts the bytes.
func TestChunksDoNotDependOnTheSplit(t *testing.T) {
	t.Parallel()
	pieces := []string{
		text("Hél", "lo 🎉"), ": a comment\n\n", piece(`{"reasoning_content":"Hm"}`),
		toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"{\"k\":"}`), toolCall(`"index":0,"function":{"arguments":"1}"}`),
		sse(`{"error":{"message":"so it goes"}}`), ended("tool_calls"), ended("stop"), counted, done, "\r\n", "data", "event: x\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "crlf") {
			stream = strings.ReplaceAll(stream, "\n", "\r\n")
		}
		want, _, wantErr := read(strings.NewReader(stream))
		sizes := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 20).Draw(t, "cuts")
		rest, n := []byte(stream), 0
		got, _, err := read(readerFunc(func(b []byte) (int, error) {
			if len(rest) == 0 {
				return 0, io.EOF
			}
			c := copy(b, rest[:min(len(rest), sizes[n%len(sizes)])])
			rest = rest[c:]
			n++
			return c, nil
		}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("chunks (-whole +cut):\n%s", diff)
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("error %v, want %v", err, wantErr)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func FuzzStream(f *testing.F) {
	f.Add([]byte(hello))
	f.Add([]byte(text("x") + ended("length")))
	f.Add([]byte(toolCall(`"id":"a","function":{"name":"x","arguments":{}}`) + ended("stop") + done))
	f.Add([]byte(sse(`{"error":{"code":7}}`)))
	failures := upstream.Failures{Service: service, Now: time.Now, Answered: new(protocol).Answered}
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, whole, err := read(iotest.HalfReader(bytes.NewReader(stream)))
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
		if whole != (err == nil) || whole != (stops == 1) {
			t.Fatalf("whole=%v err=%v stops=%d", whole, err, stops)
		}
		if err != nil {
			if f := failures.Classify(err, nil); f.Status < 400 || f.Message == "" {
				t.Fatalf("%v is classified as %+v", err, f)
			}
		}
	})
}

// Covers: turn-api REQ-03
func TestSlowBytesArrive(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range len(hello) {
			_, _ = io.WriteString(w, hello[i:i+1])
			w.(http.Flusher).Flush()
		}
	})
	got, err := collect(provider(t, url).Stream(t.Context(), ask("x")))
	if err != nil || len(substance(got)) != 5 {
		t.Errorf("got %v, %v", substance(got), err)
	}
}

func TestCancelEndsAStalledStream(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text("half"))
		w.(http.Flusher).Flush()
		<-r.Context().Done() // the client's hang-up reaches the service
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var last error
	for c, err := range provider(t, url).Stream(ctx, ask("x")) {
		if _, ok := c.(model.TextDelta); ok {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v, want the cancel", last)
	}
}

func TestWhoStopsListeningHangsUp(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text("half"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	for range provider(t, url).Stream(t.Context(), ask("x")) {
		break
	}
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Error("the connection stayed open")
	}
}

func TestConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	var remotes []string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		remotes = append(remotes, r.RemoteAddr)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, hello)
	})
	p := provider(t, url)
	for range 3 {
		if _, err := collect(p.Stream(t.Context(), ask("x"))); err != nil {
			t.Fatal(err)
		}
	}
	if len(remotes) != 3 || remotes[0] != remotes[1] || remotes[1] != remotes[2] {
		t.Errorf("connections from %v, want one", remotes)
	}
}
