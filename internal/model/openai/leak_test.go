package openai

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"belay/internal/fault"
)

// Covers: turn-api REQ-12
func TestNoErrorPathLeaksTheKey(t *testing.T) {
	t.Parallel()
	encodings := map[string]func(string) string{
		"raw":          func(s string) string { return s },
		"query":        url.QueryEscape,
		"path":         url.PathEscape,
		"twice":        func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
		"base64":       func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"in a longer":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("u:" + s + ":p")) },
		"hex":          func(s string) string { return hex.EncodeToString([]byte(s)) },
		"as a header":  func(s string) string { return "Bearer " + s },
		"cut in half":  func(s string) string { return strings.Repeat("x", 595) + s },
		"cut by cause": func(s string) string { return strings.Repeat("x", 295) + s },
	}
	body := func(kind, code, message string) string {
		b, _ := json.Marshal(map[string]any{"error": map[string]any{"type": kind, "code": code, "message": message}})
		return string(b)
	}
	paths := func(encoded string) map[string]string {
		return map[string]string{
			"message":        answering(t, 400, nil, body("invalid_request_error", "", "bad "+encoded+" here")),
			"text alone":     answering(t, 400, nil, `{"error":`+fmt.Sprintf("%q", "bad "+encoded)+`}`),
			"type":           answering(t, 400, nil, body(encoded, "", "bad")),
			"code":           answering(t, 429, nil, body("", encoded, "bad")),
			"too long":       answering(t, 400, nil, body("", "context_length_exceeded", "bad "+encoded)),
			"request id":     answering(t, 500, http.Header{"X-Request-Id": {encoded}}, ""),
			"error event":    streaming(t, sse(body("server_error", "", "bad "+encoded))),
			"error kind":     streaming(t, sse(body(encoded, encoded, "bad"))),
			"finish reason":  streaming(t, text("x")+sse(`{"choices":[{"index":0,"delta":{},"finish_reason":`+fmt.Sprintf("%q", encoded)+`}]}`)+sse("{{{")),
			"not a stream":   answering(t, 200, http.Header{"Content-Type": {"text/" + url.QueryEscape(encoded)}}, encoded),
			"garbage":        streaming(t, sse(encoded)),
			"broken header":  brokenHeader(t, encoded),
			"redirect":       answering(t, 302, http.Header{"Location": {"/?k=" + url.QueryEscape(encoded)}}, ""),
			"redirected off": answering(t, 302, http.Header{"Location": {"https://" + hex.EncodeToString([]byte(encoded))[:40] + ".test/?k=" + url.QueryEscape(encoded)}}, ""),
		}
	}
	for encoding, encode := range encodings {
		encoded := encode(testKey)
		for path, target := range paths(encoded) {
			_, err := collect(provider(t, target).Stream(t.Context(), ask("x")))
			f := fault.From(err)
			if f == nil {
				t.Errorf("%s, %s: no error", path, encoding)
				continue
			}
			wire, _ := json.Marshal(f.Body())
			everything := string(wire) + f.Message + f.Error() + fmt.Sprint(f.Details, f.Cause)
			for _, piece := range []string{encoded, testKey, testKey[:16]} {
				if strings.Contains(everything, piece) {
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
