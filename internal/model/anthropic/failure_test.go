package anthropic

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

func answering(t testing.TB, status int, header http.Header, body string) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for k, v := range header {
			w.Header()[k] = v
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

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
		{"too many with nonsense", 429, http.Header{"Retry-After": {"soon"}}, "", 429, model.RateLimited, true, 0, ""},
		{"overloaded", 529, nil, errorBody("overloaded_error", "Overloaded"), 529, model.APIResponseError, true, 0, "Overloaded"},
		{"failing", 500, nil, errorBody("api_error", "oops"), 500, model.APIResponseError, true, 0, "oops"},
		{"bad request", 400, nil, errorBody("invalid_request_error", "max_tokens"), 400, model.APIResponseError, false, 0, "max_tokens"},
		{"a gateway's page", 502, nil, "<html>" + strings.Repeat("x", 1<<20), 502, model.APIResponseError, true, 0, "error"},
		{"an endless message", 400, nil, errorBody("invalid_request_error", strings.Repeat("é ", 20_000)), 400, model.APIResponseError, false, 0, "é"},
		{"a redirect", 307, http.Header{"Location": {"https://example.com/"}}, "", 400, model.NetworkPolicyViolation, false, 0, "policy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, answering(t, tt.status, tt.header, tt.body), func(o *Options) { o.Now = func() time.Time { return now } })
			_, err := collect(p.Stream(t.Context(), ask("x")))
			f := wants(t, err, tt.want, tt.category, tt.transient)
			if !strings.Contains(f.Message, tt.message) || f.Message == "" || len(f.Message) > 700 {
				t.Errorf("message %q, want %q in it", f.Message, tt.message)
			}
			var transient *model.TransientError
			if errors.As(err, &transient) && transient.After != tt.after {
				t.Errorf("asked to wait %v, want %v", transient.After, tt.after)
			}
		})
	}
}

func TestRetriesAreNotTheSDKs(t *testing.T) {
	t.Parallel()
	calls := 0
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { calls++; w.WriteHeader(529) })
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
	wants(t, err, 529, model.APIResponseError, true)
	if diff := cmp.Diff([]time.Duration{time.Second, 2 * time.Second}, waits); diff != "" || calls != 3 {
		t.Errorf("%d calls, waits (-want +got):\n%s", calls, diff)
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
		_, _ = io.WriteString(w, started)
	})
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0)
	stranger.StartTLS()
	t.Cleanup(stranger.Close)
	tests := []struct {
		name, url string
		transient bool
	}{
		{"nobody listens", nobody, true},
		{"the service hangs up", hangUp, true},
		{"and in the middle", midway, true},
		{"the certificate is a stranger's", stranger.URL, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := collect(provider(t, tt.url).Stream(t.Context(), ask("x")))
			f := wants(t, err, 503, model.NetworkError, tt.transient)
			if cause, _ := f.Details["cause"].(string); cause == "" {
				t.Errorf("no cause in %v", f.Details)
			}
		})
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

// broken is content whose bytes are not what was recorded.
type broken struct {
	stored
	size int64
	err  error
}

func (b broken) Size() int64 { return b.size }
func (b broken) Open() (io.ReadCloser, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.stored.Open()
}

func TestAttachmentThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := provider(t, streaming(t, hello))
	for name, c := range map[string]attachment.Content{
		"gone":    broken{err: errors.New("no such blob"), size: 10},
		"shorter": broken{stored: stored("1234"), size: 10},
		"longer":  broken{stored: stored("12345678901"), size: 10},
	} {
		for kind, part := range map[string]attachment.Part{
			"image":     attachment.ImagePart{MIMEType: "image/png", Content: c},
			"text":      attachment.TextDocumentPart{Name: "t", Content: c},
			"long text": attachment.TextDocumentPart{Name: "t", Content: broken{c.(broken).stored, upstream.InlineText + 1, c.(broken).err}},
		} {
			_, err := collect(p.Stream(t.Context(), model.Request{Model: "m", Prompt: model.BlockPrompt{part}}))
			if !fault.Is(err, fault.StorageFailure) {
				t.Errorf("%s, %s: %v, want STORAGE_FAILURE", name, kind, err)
			}
		}
	}
}

func TestRequestOverTheLimitIsNotSent(t *testing.T) {
	t.Parallel()
	url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	catalog := model.Anthropic()
	catalog.Default.Attachments.RequestBytes = 1000
	p := provider(t, url, func(o *Options) { o.Catalog = &catalog })
	r := model.Request{Model: "m", Prompt: model.BlockPrompt{attachment.ImagePart{MIMEType: "image/png", Content: stored(strings.Repeat("x", 1000))}}}
	_, err := collect(p.Stream(t.Context(), r))
	wants(t, err, 413, model.RequestTooLarge, false)
}

// Covers: turn-api REQ-12
func TestNoErrorPathLeaksTheKey(t *testing.T) {
	t.Parallel()
	secret := strings.ReplaceAll(testKey, " ", "_")
	encodings := map[string]func(string) string{
		"raw":   func(s string) string { return s },
		"query": url.QueryEscape,
		"query lower": func(s string) string {
			return strings.NewReplacer("%2B", "%2b", "%3D", "%3d", "%2F", "%2f").Replace(url.QueryEscape(s))
		},
		"path":         url.PathEscape,
		"twice":        func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
		"base64":       func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"in a longer":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("u:" + s + ":p")) },
		"hex":          func(s string) string { return hex.EncodeToString([]byte(s)) },
		"cut in half":  func(s string) string { return strings.Repeat("x", 595) + s },
		"cut by cause": func(s string) string { return strings.Repeat("x", 295) + s },
	}
	leaks := func(encoded string) map[string]string {
		return map[string]string{
			"error answer":   answering(t, 400, nil, errorBody("invalid_request_error", "bad "+encoded+" here")),
			"error type":     answering(t, 400, nil, errorBody(encoded, "bad")),
			"request id":     answering(t, 500, http.Header{"Request-Id": {encoded}}, ""),
			"error event":    streaming(t, started+sse("error", errorBody("api_error", "bad "+encoded))),
			"error kind":     streaming(t, started+sse("error", errorBody(encoded, "bad"))),
			"not a stream":   answering(t, 200, http.Header{"Content-Type": {"text/" + url.QueryEscape(encoded)}}, encoded),
			"garbage":        streaming(t, started+sse("content_block_delta", encoded)),
			"broken header":  brokenHeader(t, encoded),
			"redirect":       answering(t, 302, http.Header{"Location": {"/?k=" + url.QueryEscape(encoded)}}, ""),
			"redirected off": answering(t, 302, http.Header{"Location": {"https://" + hex.EncodeToString([]byte(encoded))[:40] + ".test/?k=" + url.QueryEscape(encoded)}}, ""),
		}
	}
	for encoding, encode := range encodings {
		encoded := encode(secret)
		for path, target := range leaks(encoded) {
			p := provider(t, target)
			_, err := collect(p.Stream(t.Context(), ask("x")))
			f := fault.From(err)
			if f == nil {
				t.Errorf("%s, %s: no error", path, encoding)
				continue
			}
			wire, _ := json.Marshal(f.Body())
			everything := string(wire) + f.Message + f.Error() + fmt.Sprint(f.Details, f.Cause)
			for _, piece := range []string{encoded, secret, secret[:16]} {
				if strings.Contains(everything, piece) && !strings.Contains(strings.Repeat("x", 600), piece) {
					t.Errorf("%s, %s: %q is in %s", path, encoding, piece, everything)
				}
			}
		}
	}
}

// brokenHeader answers with something that is not HTTP; clients repeat it in
// their errors.
func brokenHeader(t testing.TB, text string) string {
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 "+text+"\r\n\r\n")
	})
}
