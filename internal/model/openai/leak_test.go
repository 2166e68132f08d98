package openai

import (
	"belay/internal/model/upstream/upstreamtest"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// Covers: turn-api REQ-12
func TestNoErrorPathLeaksTheKey(t *testing.T) {
	t.Parallel()
	body := func(kind, code, message string) string {
		b, _ := json.Marshal(map[string]any{"error": map[string]any{"type": kind, "code": code, "message": message}})
		return string(b)
	}
	kit.Leaks(t, testKey, func(encoded string) map[string]string {
		return map[string]string{
			"message":       upstreamtest.Answering(t, 400, nil, body("invalid_request_error", "", "bad "+encoded+" here")),
			"text alone":    upstreamtest.Answering(t, 400, nil, `{"error":`+fmt.Sprintf("%q", "bad "+encoded)+`}`),
			"type":          upstreamtest.Answering(t, 400, nil, body(encoded, "", "bad")),
			"code":          upstreamtest.Answering(t, 429, nil, body("", encoded, "bad")),
			"too long":      upstreamtest.Answering(t, 400, nil, body("", "context_length_exceeded", "bad "+encoded)),
			"request id":    upstreamtest.Answering(t, 500, http.Header{"X-Request-Id": {encoded}}, ""),
			"error event":   upstreamtest.Streaming(t, sse(body("server_error", "", "bad "+encoded))),
			"error kind":    upstreamtest.Streaming(t, sse(body(encoded, encoded, "bad"))),
			"finish reason": upstreamtest.Streaming(t, text("x")+sse(`{"choices":[{"index":0,"delta":{},"finish_reason":`+fmt.Sprintf("%q", encoded)+`}]}`)+sse("{{{")),
			"garbage":       upstreamtest.Streaming(t, sse(encoded)),
		}
	})
}
