package anthropic

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream/upstreamtest"
)

func errorBody(kind, message string) string {
	b, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
	return string(b)
}

// Covers: turn-api REQ-12, REQ-13
func TestErrorAnswers(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name      string
		status    int
		header    http.Header
		body      string
		want      int
		category  model.Category
		transient bool
		after     time.Duration
		message   string
	}{
		{"wrong key", 401, nil, errorBody("authentication_error", "invalid x-api-key"), 401, model.InvalidAPIKey, false, 0, "invalid x-api-key"},
		{"no permission", 403, nil, errorBody("permission_error", ""), 403, model.InvalidAPIKey, false, 0, "key"},
		{"too many", 429, http.Header{"Retry-After": {"7"}}, errorBody("rate_limit_error", "slow"), 429, model.RateLimited, true, 7 * time.Second, "slow"},
		{"too many until a date", 429, http.Header{"Retry-After": {now.Add(90 * time.Second).Format(http.TimeFormat)}}, "", 429, model.RateLimited, true, 90 * time.Second, ""},
		{"too many for a month", 429, http.Header{"Retry-After": {"2592000"}}, "", 429, model.RateLimited, true, 30 * 24 * time.Hour, ""},
		{"too many for ever", 429, http.Header{"Retry-After": {"1e300"}}, "", 429, model.RateLimited, true, 250 * 365 * 24 * time.Hour, ""},
		{"too many, in milliseconds", 429, http.Header{"Retry-After-Ms": {"1500"}, "Retry-After": {"1"}}, "", 429, model.RateLimited, true, 1500 * time.Millisecond, ""},
		{"too many with nonsense", 429, http.Header{"Retry-After": {"soon"}}, "", 429, model.RateLimited, true, 0, ""},
		{"overloaded", 529, nil, errorBody("overloaded_error", "Overloaded"), 529, model.APIResponseError, true, 0, "Overloaded"},
		{"failing", 500, nil, errorBody("api_error", "oops"), 500, model.APIResponseError, true, 0, "oops"},
		{"bad request", 400, nil, errorBody("invalid_request_error", "max_tokens"), 400, model.APIResponseError, false, 0, "max_tokens"},
		{"FastAPI, with the request", 422, nil, `{"detail":[{"msg":"bad","input":"` + strings.Repeat("x", 100<<10) + `"}]}`, 422, model.APIResponseError, false, 0, "bad"},
		{"a name and a message", 400, nil, `{"error":"Bad Request","message":"no such speed"}`, 400, model.APIResponseError, false, 0, "no such speed"},
		{"an error that is true", 400, nil, `{"error":true,"message":"no such speed"}`, 400, model.APIResponseError, false, 0, "no such speed"},
		{"FastAPI", 422, nil, `{"detail":[{"loc":["body"],"msg":"bad"}]}`, 422, model.APIResponseError, false, 0, "bad"},
		{"only a text", 400, nil, `{"error":"no such model"}`, 400, model.APIResponseError, false, 0, "no such model"},
		{"overloaded, with a status of success", 200, http.Header{"Content-Type": {"application/json"}}, errorBody("overloaded_error", "Overloaded"),
			502, model.StreamInvalid, true, 0, `the answer is "application/json" instead of an event stream: Overloaded`},
		{"a gateway's page", 502, nil, "<html>" + strings.Repeat("x", 1<<20), 502, model.APIResponseError, true, 0, "error"},
		{"an endless message", 400, nil, errorBody("invalid_request_error", strings.Repeat("é ", 20_000)), 400, model.APIResponseError, false, 0, "é"},
		{"a redirect", 307, http.Header{"Location": {"https://example.com/"}}, "", 400, model.NetworkPolicyViolation, false, 0, "policy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, upstreamtest.Answering(t, tt.status, tt.header, tt.body), func(o *Options) { o.Now = func() time.Time { return now } })
			_, err := upstreamtest.Collect(p.Stream(t.Context(), ask("x")))
			f := wants(t, err, tt.want, tt.category, tt.transient)
			if !strings.Contains(f.Message, tt.message) || f.Message == "" || len(f.Message) > 700 {
				t.Errorf("message %q, want %q in it", f.Message, tt.message)
			}
			if transient, ok := errors.AsType[*model.TransientError](err); ok && transient.After != tt.after {
				t.Errorf("asked to wait %v, want %v", transient.After, tt.after)
			}
		})
	}
}

// A model that was retired answers like one that never was.
func TestNoSuchModel(t *testing.T) {
	t.Parallel()
	body := errorBody("not_found_error", "model: claude-sonnet-4-20250514")
	for where, url := range map[string]string{
		"before": upstreamtest.Answering(t, 404, nil, body), "in the stream": upstreamtest.Streaming(t, started+sse("error", body)),
	} {
		_, err := upstreamtest.Collect(provider(t, url).Stream(t.Context(), ask("x")))
		if f := wants(t, err, 404, model.APIResponseError, false); !strings.Contains(f.Hint, "--model") || !strings.Contains(f.Hint, "default_model") {
			t.Errorf("%s: hint %q", where, f.Hint)
		}
	}
}

func TestNoSuchPath(t *testing.T) {
	t.Parallel()
	url := upstreamtest.Answering(t, 404, nil, "<html>no such page")
	_, err := upstreamtest.Collect(provider(t, url+"/gateway").Stream(t.Context(), ask("x")))
	if f := wants(t, err, 404, model.APIResponseError, false); !strings.Contains(f.Hint, "anthropic.base_url") {
		t.Errorf("hint %q", f.Hint)
	}
}

func TestRequestOverTheLimitIsNotSent(t *testing.T) {
	t.Parallel()
	url := upstreamtest.Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	catalog := model.Anthropic()
	catalog.Default.Attachments.RequestBytes = 1000
	p := provider(t, url, func(o *Options) { o.Catalog = &catalog })
	r := model.Request{Model: "m", Prompt: model.BlockPrompt{attachment.ImagePart{MIMEType: "image/png", Content: upstreamtest.Stored(strings.Repeat("x", 1000))}}}
	_, err := upstreamtest.Collect(p.Stream(t.Context(), r))
	wants(t, err, 413, model.RequestTooLarge, false)
}

// Covers: turn-api REQ-12
func TestNoErrorPathLeaksTheKey(t *testing.T) {
	t.Parallel()
	kit.Leaks(t, testKey, func(encoded string) map[string]string {
		return map[string]string{
			"error of 200": upstreamtest.Answering(t, 200, http.Header{"Content-Type": {"application/json"}}, errorBody("api_error", "bad "+encoded)),
			"error answer": upstreamtest.Answering(t, 400, nil, errorBody("invalid_request_error", "bad "+encoded+" here")),
			"error type":   upstreamtest.Answering(t, 400, nil, errorBody(encoded, "bad")),
			"request id":   upstreamtest.Answering(t, 500, http.Header{"Request-Id": {encoded}}, ""),
			"error event":  upstreamtest.Streaming(t, started+sse("error", errorBody("api_error", "bad "+encoded))),
			"error kind":   upstreamtest.Streaming(t, started+sse("error", errorBody(encoded, "bad"))),
			"garbage":      upstreamtest.Streaming(t, started+sse("content_block_delta", encoded)),
		}
	})
}
