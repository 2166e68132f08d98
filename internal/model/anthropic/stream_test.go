package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/model"
	"belay/internal/model/upstream"
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
	got, err := collect(provider(t, streaming(t, stream)).Stream(t.Context(), ask("x")))
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
	if diff := cmp.Diff(want, substance(got)); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
	if len(got) == len(want) {
		t.Error("a ping was no sign of life")
	}
}

// A tool call that was cut off must not be seen, so that nobody can run it.
func TestNoToolCallUnlessTheModelStoppedForIt(t *testing.T) {
	t.Parallel()
	stream := started + opened(0, `{"type":"tool_use","id":"t","name":"bash","input":{}}`) +
		grown(0, `{"type":"input_json_delta","partial_json":"{\"command\":\"rm -rf /tmp/x"}`) + closed(0) +
		text(1, "oh") + ended("max_tokens") + stopped
	got, err := collect(provider(t, streaming(t, stream)).Stream(t.Context(), ask("x")))
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
	} {
		got, err := collect(provider(t, streaming(t, started+text(0, "x")+ended(from)+stopped)).Stream(t.Context(), ask("x")))
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
		{"end marker in a block", begun + stopped, 502, model.StreamInvalid, false},
		{"end marker without a reason", started + stopped, 502, model.StreamInvalid, false},
		{"overloaded", started + failing("overloaded_error"), 529, model.APIResponseError, true},
		{"overloaded after text", begun + failing("overloaded_error"), 529, model.APIResponseError, true},
		{"rate limit in the stream", started + failing("rate_limit_error"), 429, model.RateLimited, true},
		{"request error in the stream", started + failing("invalid_request_error"), 400, model.APIResponseError, false},
		{"unknown error in the stream", started + failing("whatever"), 502, model.APIResponseError, true},
		{"an error that is no JSON", sse("error", "boom"), 502, model.StreamInvalid, false},
		{"garbage", started + sse("content_block_delta", "{{{"), 502, model.StreamInvalid, false},
		{"a delta without a block", started + grown(0, `{"type":"text_delta","text":"x"}`), 502, model.StreamInvalid, false},
		{"a delta for another block", begun + grown(1, `{"type":"text_delta","text":"x"}`), 502, model.StreamInvalid, false},
		{"a block in a block", begun + text(1, "x"), 502, model.StreamInvalid, false},
		{"a tool call without a name", started + opened(0, `{"type":"tool_use","id":"t"}`) + closed(0) + ended("tool_use") + stopped, 502, model.StreamInvalid, false},
		{"a tool call with half an input", started + opened(0, `{"type":"tool_use","id":"t","name":"n"}`) + grown(0, `{"type":"input_json_delta","partial_json":"{"}`) + closed(0) + ended("tool_use") + stopped, 502, model.StreamInvalid, false},
		{"a huge line", started + "data: " + strings.Repeat("x", 5000) + "\n", 502, model.ResponseTooLarge, false},
		{"a huge answer", started + strings.Repeat(ping, 1000), 502, model.ResponseTooLarge, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, streaming(t, tt.stream), func(o *Options) { o.MaxLine, o.MaxAnswer = 4096, 16<<10 })
			got, err := collect(p.Stream(t.Context(), ask("x")))
			wants(t, err, tt.status, tt.category, tt.transient)
			for _, c := range got {
				if _, ok := c.(model.Stop); ok {
					t.Error("a broken stream ended as if it were whole")
				}
			}
		})
	}
}

func TestNotAnEventStream(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>Sign in")
	})
	_, err := collect(provider(t, url).Stream(t.Context(), ask("x")))
	wants(t, err, 502, model.StreamInvalid, false)
}

// The chunks must not depend on how the network cuts the bytes.
func TestChunksDoNotDependOnTheSplit(t *testing.T) {
	t.Parallel()
	read := func(body io.Reader) ([]model.Chunk, error) {
		var got []model.Chunk
		a := answer{yield: func(c model.Chunk, _ error) bool { got = append(got, c); return true }}
		_, err := upstream.Read(context.Background(), body, upstream.DefaultMaxLine, &a)
		return got, err
	}
	pieces := []string{
		started, ping, text(0, "Hél", "lo 🎉"), ": a comment\n\n",
		opened(1, `{"type":"tool_use","id":"t","name":"n","input":{}}`), grown(1, `{"type":"input_json_delta","partial_json":"{\"a\":1}"}`), closed(1),
		sse("error", `{"type":"error","error":{"type":"overloaded_error"}}`), ended("tool_use"), stopped, "\r\n", "data", "event: x\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		stream := started + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "crlf") {
			stream = strings.ReplaceAll(stream, "\n", "\r\n")
		}
		want, wantErr := read(strings.NewReader(stream))
		cuts := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 20).Draw(t, "cuts")
		got, err := read(&cutReader{rest: []byte(stream), cuts: cuts})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("chunks (-whole +cut):\n%s", diff)
		}
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("error %v, want %v", err, wantErr)
		}
	})
}

// cutReader gives a text in pieces of the given lengths, over and over.
type cutReader struct {
	rest []byte
	cuts []int
	n    int
}

func (r *cutReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(len(r.rest), r.cuts[r.n%len(r.cuts)])])
	r.rest = r.rest[n:]
	r.n++
	return n, nil
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(hello))
	f.Add([]byte(started + text(0, "x") + ended("max_tokens") + stopped))
	f.Add([]byte("data: {}\n\nevent: message_stop\n\n"))
	failures := upstream.Failures{Service: service, Now: time.Now, Answered: new(protocol).Answered}
	f.Fuzz(func(t *testing.T, stream []byte) {
		var stops int
		var last model.Chunk
		a := answer{yield: func(c model.Chunk, _ error) bool {
			if last = c; c == (model.Chunk)(nil) {
				t.Fatal("a nil chunk")
			}
			if _, ok := c.(model.Stop); ok {
				stops++
			}
			return true
		}}
		whole, err := upstream.Read(context.Background(), iotest.HalfReader(bytes.NewReader(stream)), 1<<16, &a)
		// Whole, without error, and with exactly one end: all or nothing.
		_, ended := last.(model.Stop)
		if whole != (err == nil) || whole != (stops == 1) || whole && !ended {
			t.Fatalf("whole=%v err=%v stops=%d last=%v", whole, err, stops, last)
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
	if err != nil || len(substance(got)) != 6 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestCancelEndsAStalledStream(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, started+ping)
		w.(http.Flusher).Flush()
		<-r.Context().Done() // the client's hang-up reaches the service
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := provider(t, url)
	var last error
	for c, err := range p.Stream(ctx, ask("x")) {
		if _, ok := c.(model.Alive); ok {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v, want the cancel", last)
	}
}

// Events that were received before a cancel still arrive; they must not make a
// cancelled answer look whole.
func TestCancelIsSeenAmongBufferedEvents(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := provider(t, streaming(t, hello))
	var chunks int
	var last error
	for _, err := range p.Stream(ctx, ask("x")) {
		cancel()
		if last = err; err == nil {
			chunks++
		}
	}
	if chunks != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d chunks and %v, want 1 and a cancel", chunks, last)
	}
}

func TestWhoStopsListeningHangsUp(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, started)
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
