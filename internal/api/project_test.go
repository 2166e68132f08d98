package api_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/fault"
	"belay/internal/workspace/index"
)

// projectServer serves a project with one deliverable.
func projectServer(t testing.TB, o index.Options) (h *api.Handler, base, root string) {
	t.Helper()
	root = t.TempDir()
	setState(t, root, "OPEN")
	set := index.NewSet(o)
	t.Cleanup(set.Close)
	h = api.New(api.Options{Engine: &apitest.Engine{}, Projects: api.Projects{Index: set}})
	return h, serve(t, h), root
}

func setState(t testing.TB, root, state string) {
	t.Helper()
	dir := filepath.Join(root, "PKG-01_Site", "1_Working", "DEL-01-01_Plan")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "_STATUS.md"), []byte("**Current State:** "+state+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fetch gets a URL with headers "Name: value"; its body is whole.
func fetch(t testing.TB, url string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

// A client that follows a project sees each change, and what it fetches then has
// it; after a break it goes on where it was.
func TestProjectEvents(t *testing.T) {
	t.Parallel()
	h, base, root := projectServer(t, index.Options{MaxWatches: 1000, Poll: 10 * time.Millisecond})
	address := base + "/api/project/events?projectRoot=" + url.QueryEscape(root)
	events, end := follow(t, address, "")
	ready := <-events
	var about struct {
		ProjectRoot string
		Version     uint64
		Watch       string
	}
	if err := json.Unmarshal([]byte(ready.data), &about); err != nil || ready.name != "project:ready" || about.ProjectRoot != root || about.Watch == "" {
		t.Fatalf("first %+v, %v", ready, err)
	}
	setState(t, root, "INITIALIZED")
	var last sseEvent
	for last = range events {
		if last.name != "project:changed" {
			t.Fatalf("%+v", last)
		}
		if strings.Contains(last.data, `"status":"initialized"`) {
			break
		}
	}
	if !strings.Contains(last.data, `"id":"DEL-01-01"`) || last.id == "" {
		t.Errorf("%+v", last)
	}
	if _, body := fetch(t, base+"/api/project/deliverables?projectRoot="+url.QueryEscape(root)); !strings.Contains(body, `"status":"initialized"`) {
		t.Errorf("the listing is %s", body)
	}
	end()

	setState(t, root, "SEMANTIC_READY")
	if _, body := fetch(t, base+"/api/project/deliverables?projectRoot="+url.QueryEscape(root)); !strings.Contains(body, `"status":"semantic_ready"`) {
		t.Errorf("the listing is %s", body)
	}
	events, end = follow(t, address, last.id)
	defer end()
	<-events // ready
	for e := range events {
		if strings.Contains(e.data, `"status":"semantic_ready"`) {
			break
		}
	}
	stale, endStale := follow(t, address, "7")
	defer endStale()
	<-stale
	if e := <-stale; e.name != "project:reset" {
		t.Errorf("after an unknown version comes %+v", e)
	}
	h.EndFollowers()
	for range events { // which ends
	}
}

type sseEvent struct{ id, name, data string }

// follow reads a stream until end is called or it is over; the channel is then
// closed.
func follow(t *testing.T, address, last string) (<-chan sseEvent, func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan sseEvent)
	go func() {
		defer close(events)
		defer res.Body.Close()
		var e sseEvent
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
				select {
				case events <- e:
				case <-ctx.Done():
					return
				}
				e = sseEvent{}
			}
		}
	}()
	return events, cancel
}

// Bodies go compressed to those who take that, under a tag of their own.
func TestKeptBodies(t *testing.T) {
	t.Parallel()
	_, base, root := projectServer(t, index.Options{MaxWatches: 1000})
	for n := range 20 {
		if err := os.MkdirAll(filepath.Join(root, "PKG-01_Site", "1_Working", fmt.Sprintf("DEL-01-%02d_More", n+10)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	address := base + "/api/project/deliverables?projectRoot=" + url.QueryEscape(root)
	plain, body := fetch(t, address, "Accept-Encoding: identity")
	for accept, want := range map[string]bool{
		"gzip": true, "br, GZIP;q=0.5": true, "*": true, "gzip;q=0": false, "identity": false, "gzip; q=0.0, br": false,
	} {
		res, got := fetch(t, address, "Accept-Encoding: "+accept)
		if (res.Header.Get("Content-Encoding") == "gzip") != want {
			t.Errorf("%s: %v", accept, res.Header)
		}
		if want {
			z, err := gzip.NewReader(strings.NewReader(got))
			if err != nil {
				t.Fatal(err)
			}
			unpacked, err := io.ReadAll(z)
			if err != nil || string(unpacked) != body {
				t.Errorf("%s: %.80s, %v", accept, unpacked, err)
			}
			if res.Header.Get("Etag") == plain.Header.Get("Etag") || len(got) > len(body)/2 {
				t.Errorf("%s: tag %s, %d of %d bytes", accept, res.Header.Get("Etag"), len(got), len(body))
			}
			if again, _ := fetch(t, address, "Accept-Encoding: gzip", "If-None-Match: "+res.Header.Get("Etag")); again.StatusCode != http.StatusNotModified {
				t.Errorf("%d to a client that has it", again.StatusCode)
			}
		}
	}
	if again, _ := fetch(t, address, "If-None-Match: *"); again.StatusCode != http.StatusNotModified {
		t.Errorf("%d to a client that has anything", again.StatusCode)
	}
	setState(t, root, "ISSUED")
	if changed, body := fetch(t, address, "If-None-Match: "+plain.Header.Get("Etag")); changed.StatusCode != http.StatusOK || !strings.Contains(body, "issued") {
		t.Errorf("%d after a change", changed.StatusCode)
	}
}

// Callers see only the projects that the server serves, and none where there is no
// index.
func TestProjectsOfOthers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}, Projects: api.Projects{Allow: func(string) error {
		return fault.New(fault.Forbidden, "not served").With("reason", "project")
	}}}))
	bare := serve(t, api.New(api.Options{Engine: &apitest.Engine{}}))
	for _, path := range []string{"/api/project/deliverables?", "/api/project/events?", "/api/working-root/scope?", "/api/working-root/tree?", "/api/project/file?path=x&"} {
		if res, body := fetch(t, base+path+"projectRoot="+url.QueryEscape(root)); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
		if res, _ := fetch(t, base+path+"projectRoot=relative"); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d for a relative path", path, res.StatusCode)
		}
		if res, body := fetch(t, bare+path+"projectRoot="+url.QueryEscape(root)); strings.HasPrefix(path, "/api/project/d") && res.StatusCode != http.StatusNotFound {
			t.Errorf("%s without an index: %d %s", path, res.StatusCode, body)
		}
	}
}

// A project that stays unsettled, because somebody works in it or its journal is damaged, is
// still read; a caller that has gone is not waited for. Each request tries once.
func TestUnsettledProjectIsRead(t *testing.T) {
	t.Parallel()
	root, tries := t.TempDir(), 0
	setState(t, root, "OPEN")
	h := api.New(api.Options{Engine: &apitest.Engine{}, Projects: api.Projects{Settle: func(ctx context.Context, project string) error {
		if tries++; project != root {
			t.Errorf("settles %s", project)
		}
		return cmp.Or(ctx.Err(), error(fault.New(fault.Overloaded, "somebody else changes files of the project")))
	}}})
	target := "/api/project/file?projectRoot=" + url.QueryEscape(root) + "&path=PKG-01_Site/1_Working/DEL-01-01_Plan/_STATUS.md"
	gone, leave := context.WithCancel(t.Context())
	leave()
	for i, c := range []struct {
		ctx  context.Context
		want string
	}{{t.Context(), "OPEN"}, {gone, ""}} {
		w := httptest.NewRecorder()
		req := httptest.NewRequest(http.MethodGet, target, nil).WithContext(c.ctx)
		req.Host = "127.0.0.1"
		if h.ServeHTTP(w, req); tries != i+1 || strings.Contains(w.Body.String(), "OPEN") != (c.want != "") {
			t.Errorf("after %d tries: %d %s", tries, w.Code, w.Body)
		}
	}
}
