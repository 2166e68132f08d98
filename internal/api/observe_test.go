package api_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"belay/internal/api"
)

// A request has an id of its own, also one that is refused; a client may name it, in
// characters that mean nothing in a log.
func TestRequestIDs(t *testing.T) {
	t.Parallel()
	h := api.New(api.Options{BoundAddr: "127.0.0.1:1"})
	made := regexp.MustCompile(`^[A-Z2-7]{26}$`)
	seen := map[string]bool{}
	for asked, kept := range map[string]bool{
		"": false, "a-b_c.1": true, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false, "two words": false, "id\x1b[31m": false, "é": false, "a=b": false,
	} {
		for _, path := range []string{"/healthz", "/nothing"} {
			req := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1"+path, nil)
			if asked != "" {
				req.Header.Set("X-Request-Id", asked)
			}
			res := httptest.NewRecorder()
			h.ServeHTTP(res, req)
			got := res.Header().Get("X-Request-Id")
			if kept && got != asked || !kept && (!made.MatchString(got) || seen[got]) {
				t.Errorf("%s with the id %q: the answer has %q", path, asked, got)
			}
			seen[got] = true
		}
	}
}
