package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"belay/internal/attachment"
	"belay/internal/netguard"
	"belay/internal/permit"
	"belay/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// onLoopback lets tests reach their own servers.
var onLoopback = netguard.Policy{AllowLoopback: true, AllowHTTPOnLoopback: true}

func newTool(t *testing.T, p netguard.Policy) *Tool {
	t.Helper()
	f, err := New(Options{Policy: p})
	must(t, err)
	t.Cleanup(f.Close)
	return f
}

func environment(t *testing.T) *tool.Environment {
	t.Helper()
	scratch := t.TempDir()
	root, err := os.OpenRoot(scratch)
	must(t, err)
	t.Cleanup(func() { must(t, root.Close()) })
	return &tool.Environment{Scratch: scratch, ScratchRoot: root, Files: admitter{},
		Limits: tool.Limits{OutputBytes: 4000, FetchBytes: 20_000, FetchTime: 5 * time.Minute}}
}

// admitter takes everything.
type admitter struct{}

func (admitter) Admit(_ context.Context, path string) (attachment.Item, error) {
	info, err := os.Stat(path)
	if err != nil {
		return attachment.Item{}, err
	}
	return attachment.Item{Name: filepath.Ext(path), Bytes: info.Size()}, nil
}

func get(t *testing.T, f *Tool, w *tool.Environment, url string) (tool.Result, error) {
	t.Helper()
	raw, err := json.Marshal(input{url})
	must(t, err)
	set, err := tool.NewSet(f)
	must(t, err)
	c, err := set.Prepare(t.Context(), w, "fetch", raw)
	if err != nil {
		return tool.Result{}, err
	}
	return c.Run(t.Context())
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// Covers: turn-api REQ-04
func TestFetch(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "elsewhere") })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		kind := func(k string) { w.Header().Set("Content-Type", k) }
		switch r.URL.Path {
		case "/html":
			kind("text/html; charset=utf-8")
			fmt.Fprint(w, `<title>T</title><p>Hello <a href="/there?x=1">there</a>`)
		case "/latin":
			kind("text/html; charset=iso-8859-1")
			fmt.Fprint(w, "<p>caf\xe9")
		case "/json":
			kind("application/json")
			fmt.Fprint(w, `{"a": 1}`)
		case "/unnamed":
			w.Header()["Content-Type"] = nil
			fmt.Fprint(w, "plain words")
		case "/agent":
			fmt.Fprint(w, r.UserAgent(), r.Header.Get("Cookie"), r.Header.Get("Authorization"))
		case "/png":
			kind("text/plain") // the bytes win
			fmt.Fprint(w, "\x89PNG\r\n\x1a\n....")
		case "/pdf":
			kind("application/pdf")
			fmt.Fprint(w, "%PDF-1.7 ....")
		case "/zip":
			kind("application/zip")
			fmt.Fprint(w, "PK\x03\x04")
		case "/lies":
			kind("text/plain")
			fmt.Fprint(w, "a\x00b")
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "no such page")
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "....")
		case "/huge":
			fmt.Fprint(w, strings.Repeat("line of text\n", 10_000))
		case "/hugepdf":
			kind("application/pdf")
			fmt.Fprint(w, "%PDF-1.7 "+strings.Repeat("x", 30_000))
		case "/same":
			http.Redirect(w, r, "/json", http.StatusFound)
		case "/other":
			http.Redirect(w, r, other.URL+"/x?y=1", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		}
	})
	f, w := newTool(t, onLoopback), environment(t)
	tests := []struct {
		path   string
		text   []string // of the result
		refuse []string // of the refusal
		failed bool
	}{
		{"/html", []string{s.URL + "/html (status 200, text/html,", "# T\n\nHello [there](" + s.URL + "/there?x=1)"}, nil, false},
		{"/html#part", []string{"Hello"}, nil, false},
		{"/latin", []string{"café"}, nil, false},
		{"/json", []string{`{"a": 1}`}, nil, false},
		{"/unnamed", []string{"plain words", "text/plain"}, nil, false},
		{"/agent", []string{"\n\nbelay"}, nil, false},
		{"/png", []string{"image/png", "attached"}, nil, false},
		{"/pdf", []string{"application/pdf", "attached"}, nil, false},
		{"/same", []string{s.URL + "/json (status 200", `{"a": 1}`}, nil, false},
		{"/gone", []string{"status 404", "no such page"}, nil, true},
		{"/huge", []string{"only the first 20000 bytes", "the whole text is in " + w.Scratch}, nil, false},
		{"/zip", nil, []string{"application/zip", "cannot be shown"}, false},
		{"/lies", nil, []string{"binary"}, false},
		{"/gzip", nil, []string{"encoding \"gzip\""}, false},
		{"/hugepdf", nil, []string{"more than 20000 bytes"}, false},
		{"/other", nil, []string{"redirects to another host", other.URL + "/x?y=1", "fetch that address"}, false},
		{"/metadata", nil, []string{"redirects to another host"}, false},
		{"/loop", nil, []string{"more than 5 redirects"}, false},
	}
	for _, tt := range tests {
		got, err := get(t, f, w, s.URL+tt.path)
		if len(tt.refuse) > 0 {
			r, ok := tool.AsRefusal(err)
			if !ok {
				t.Errorf("%s: %+v, %v; want a refusal", tt.path, got, err)
				continue
			}
			for _, words := range tt.refuse {
				if !strings.Contains(r.Error(), words) {
					t.Errorf("%s: refusal %q does not say %q", tt.path, r, words)
				}
			}
			continue
		}
		if err != nil || got.Failed != tt.failed || len(got.Text) > 4000 {
			t.Errorf("%s: %+v, %v", tt.path, got, err)
		}
		for _, words := range tt.text {
			if !strings.Contains(got.Text, words) {
				t.Errorf("%s: %q does not say %q", tt.path, got.Text, words)
			}
		}
	}
	entries, err := os.ReadDir(filepath.Join(w.Scratch, folder))
	must(t, err)
	if len(entries) != 3 { // the image, the PDF, the long text
		t.Errorf("%d files were kept, want 3", len(entries))
	}
}

func TestWhatMayNotBeReached(t *testing.T) {
	t.Parallel()
	w := environment(t)
	open, narrow := newTool(t, netguard.Policy{}), newTool(t, netguard.Policy{AllowedHosts: []string{"docs.example.com"}})
	for _, tt := range []struct {
		f         *Tool
		url       string
		authority bool
	}{
		{open, "http://example.com/", false},
		{open, "ftp://example.com/", false},
		{open, "file:///etc/passwd", false},
		{open, "example.com", false},
		{open, "https://", false},
		{open, "https://a b/", false},
		{open, "https://user:pw@example.com/", true},
		{open, "https://example.com:8443/", true},
		{open, "https://localhost/", true},
		{open, "https://127.0.0.1/", true},
		{open, "https://[::1]/", true},
		{open, "https://10.0.0.1/", true},
		{open, "https://169.254.169.254/latest/meta-data", true},
		{narrow, "https://example.com/", true},
		{narrow, "https://docs.example.com.evil.test/", true},
	} {
		_, err := get(t, tt.f, w, tt.url)
		if r, ok := tool.AsRefusal(err); !ok || r.Authority != tt.authority {
			t.Errorf("%s: %v (%+v), want a refusal with authority %v", tt.url, err, r, tt.authority)
		}
	}
	if _, err := New(Options{Policy: netguard.Policy{AllowedHosts: []string{"https://x"}}}); err == nil {
		t.Error("an ill-formed host was accepted")
	}
}

func TestEffectNamesTheHost(t *testing.T) {
	t.Parallel()
	f := newTool(t, netguard.Policy{AllowedHosts: []string{"Docs.Example.com", "x.example.com:8443", "2001:db8::1"}})
	// One host has one spelling, in which rules know it.
	for url, shown := range map[string][2]string{
		"https://docs.EXAMPLE.com:443/a":   {"https://docs.example.com:443/a", "docs.example.com"},
		"https://docs.example.com.:0443/":  {"https://docs.example.com:443/", "docs.example.com"},
		"https://ｄocs.example。com/":        {"https://docs.example.com/", "docs.example.com"},
		"https://x.example.com:08443/":     {"https://x.example.com:8443/", "x.example.com:8443"},
		"https://[2001:0db8:0:0:0:0:0:1]/": {"https://[2001:db8::1]/", "2001:db8::1"},
	} {
		c, err := f.Prepare(t.Context(), environment(t), json.RawMessage(`{"url":"`+url+`"}`))
		must(t, err)
		want := permit.Effect{Tool: "fetch", Kind: permit.Network, Summary: "fetch " + shown[0], Hosts: []string{shown[1]}}
		if d := cmp.Diff(want, c.Effect(), cmp.AllowUnexported(permit.Effect{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", url, d)
		}
	}
}

// A question has no address without its end.
func TestEffectOfALongAddress(t *testing.T) {
	t.Parallel()
	f := newTool(t, netguard.Policy{})
	for _, n := range []int{100, 1000} {
		url := "https://docs.example.com/" + strings.Repeat("x", n) + "?the=end"
		c, err := f.Prepare(t.Context(), environment(t), json.RawMessage(`{"url":"`+url+`"}`))
		must(t, err)
		if e := c.Effect(); e.Command != url && e.Summary != "fetch "+url {
			t.Errorf("%d: %+v", n, e)
		}
	}
}

func TestAServerThatNeverAnswers(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/half" {
			fmt.Fprint(w, "half")
			w.(http.Flusher).Flush()
		}
		<-release
	})
	t.Cleanup(func() { close(release) })
	f, w := newTool(t, onLoopback), environment(t)
	w.Limits.FetchTime = 30 * time.Millisecond
	for _, path := range []string{"/", "/half"} {
		_, err := get(t, f, w, s.URL+path)
		if r, ok := tool.AsRefusal(err); !ok || !strings.Contains(r.Error(), "did not answer within 30 ms") {
			t.Errorf("%s: %v", path, err)
		}
	}
	c, err := f.Prepare(t.Context(), w, json.RawMessage(`{"url":"`+s.URL+`"}`))
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Run(ctx); err != context.Canceled {
		t.Errorf("the end of the turn: %v", err)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	_, err = get(t, f, w, closed.URL)
	if r, ok := tool.AsRefusal(err); !ok || !strings.Contains(r.Error(), "cannot be reached") {
		t.Errorf("a server that is not there: %v", err)
	}
}

// A timeout of the connection is not called the one of the whole, which is longer.
func TestTimeoutsOfAConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	policy := onLoopback
	policy.HeaderTimeout = 20 * time.Millisecond
	f, w := newTool(t, policy), environment(t)
	w.Limits.FetchTime = time.Hour
	_, err := get(t, f, w, s.URL)
	if r, ok := tool.AsRefusal(err); !ok || !strings.Contains(r.Error(), "cannot be reached") {
		t.Errorf("got %v", err)
	}
}
