package upstreamtest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"belay/internal/model"
)

// reply is an answer with status 200.
type reply struct{ kind, body string }

// replying gives one answer after the other, the last one for ever, and counts the
// requests.
func replying(t testing.TB, calls *int, all ...reply) string {
	t.Helper()
	return Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		now := all[min(*calls, len(all)-1)]
		*calls++
		w.Header()["Content-Type"] = nil // none is guessed
		if now.kind != "" {
			w.Header().Set("Content-Type", now.kind)
		}
		_, _ = io.WriteString(w, now.body)
	})
}

// patient tries a call three times, without waiting.
func patient(p model.Provider) model.Provider {
	return model.WithRetry(p, model.RetryPolicy{
		Attempts: 3, Max: time.Second, Sleep: func(context.Context, time.Duration) error { return nil },
	})
}

const stream = "text/event-stream"

// junk checks that what gateways and overloaded services answer instead of an event
// stream is a failure that may pass.
func (k Kit) junk(t *testing.T) {
	for name, junk := range map[string]reply{
		"a page":                  {"text/html; charset=utf-8", "<html><body>Sign in</body></html>"},
		"JSON":                    {"application/json", `{"error":{"message":"try later"}}`},
		"JSON with no type":       {"", `{"ok":true}`},
		"nothing":                 {"", ""},
		"a stream of nothing":     {stream, ""},
		"a page as a stream":      {stream, "<html>\n<body>Bad gateway</body>\n</html>\n"},
		"an event with a page":    {stream, "event: message_start\ndata: <html>Bad gateway</html>\n\n"},
		"half an event":           {stream, "event: message_start\ndata: {\"type\":\"mess"},
		"an event of a bad form":  {stream, "event: message_start\ndata: [1]\n\n"},
		"keep-alives and nothing": {stream, ": wait\n\n: wait\n\n"},
	} {
		calls := 0
		p := patient(k.New(t, replying(t, &calls, junk, reply{stream, k.Hello})))
		got, err := Collect(p.Stream(t.Context(), ask("x")))
		if text, stop := Said(got); err != nil || text == "" || stop != model.StopEndTurn || calls != 2 {
			t.Errorf("%s: %q after %d calls, %v", name, text, calls, err)
		}
	}
}

func (k Kit) junkAfterWords(t *testing.T) {
	for name, rest := range map[string]string{
		"nothing": "", "a page": "event: message_stop\ndata: <html>\n\n",
		"an event of a bad form": "event: content_block_delta\ndata: [1]\n\n",
	} {
		calls := 0
		p := patient(k.New(t, replying(t, &calls, reply{stream, k.Shown + rest})))
		got, err := Collect(p.Stream(t.Context(), ask("x")))
		if text, _ := Said(got); err == nil || text == "" || calls != 1 {
			t.Errorf("%s: %q after %d calls, %v", name, text, calls, err)
		}
	}
}

func (k Kit) comments(t *testing.T) {
	got, err := Collect(k.New(t, Streaming(t, strings.Repeat(": wait\n\n", 3)+k.Hello)).Stream(t.Context(), ask("x")))
	if err != nil || len(Substance(got)) != k.Chunks {
		t.Fatalf("got %v, %v", Substance(got), err)
	}
	for _, c := range got[:3] {
		if c != (model.Alive{}) {
			t.Errorf("a comment is %#v", c)
		}
	}
}
