package api_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"testing"
)

// Profiles are the operator's alone: a heap may hold what people wrote.
func TestProfiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	operator := map[string]string{"Authorization": "Bearer captain"}
	for _, tc := range []struct {
		path string
		head map[string]string
		want int
	}{
		{"heap", operator, 200},
		{"goroutine", operator, 200},
		{"cpu?seconds=1", operator, 200},
		{"heap", map[string]string{"Authorization": "Bearer members"}, 403},
		{"heap", nil, 401},
		{"cmdline", operator, 404},
		{"mutex", operator, 404}, // the server does not sample locks
		{"cpu?seconds=61", operator, 400},
		{"cpu?seconds=soon", operator, 400},
	} {
		res := request(t, s.base, http.MethodGet, "/debug/pprof/"+tc.path, "", tc.head)
		if res.StatusCode != tc.want {
			t.Errorf("%s with %v: %s, want %d", tc.path, tc.head, res.Status, tc.want)
		}
		if res.StatusCode != 200 {
			continue
		}
		unpacked, err := gzip.NewReader(res.Body)
		if err != nil {
			t.Errorf("%s is no profile: %v", tc.path, err)
			continue
		}
		if n, err := io.Copy(io.Discard, unpacked); err != nil || n == 0 {
			t.Errorf("%s: %d bytes, %v", tc.path, n, err)
		}
	}
}
