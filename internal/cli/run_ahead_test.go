package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// What later tasks attach by its address is fetched before a model is asked, and once.
func TestAddressesAreFetchedAheadAndOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked, gone := map[string]int{}, false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if asked[r.URL.Path]++; gone && r.URL.Path == "/b.txt" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte("words of " + r.URL.Path))
	}))
	defer srv.Close()
	b := newBench(t)
	b.env = []string{"BELAY_ATTACHMENTS_ALLOWED_HOSTS=" + strings.TrimPrefix(srv.URL, "http://")}
	flow := b.write("flow.yaml", `id: x
input: {type: object, required: [base], properties: {base: {type: string}}}
agents: [{id: a, instructions: hello}]
tasks:
  - {id: one, agent: a, prompt: One., attachments: [{type: url, fetch: true, url: "{{ .input.base }}/a.txt"}], on_success: {next: two}}
  - {id: two, agent: a, prompt: Two., attachments: [{type: url, fetch: true, url: "{{ .workflow.input.base }}/b.txt"}]}
`)
	code, out, errs := b.run("", "run", flow, "--input", "base="+srv.URL)
	if code != ExitDone || !strings.Contains(out, "b.txt") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	mu.Lock()
	if asked["/a.txt"] != 1 || asked["/b.txt"] != 1 {
		t.Errorf("fetched %v, each of them once is enough", asked)
	}
	gone = true
	mu.Unlock()
	_, before, _ := b.run("", "session", "list", "--json")
	code, _, errs = b.run("", "run", flow, "--input", "base="+srv.URL)
	if code != ExitUsage || !strings.Contains(errs, "flow.yaml:6:83: "+srv.URL+"/b.txt: the server answers 404 Not Found (BAD_STATUS)") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if _, after, _ := b.run("", "session", "list", "--json"); after != before {
		t.Errorf("a model was asked:\n%s", after)
	}
}

// A server that fails for a moment costs no run: downloads are tried again, at least as
// often as their task.
func TestDownloadsAreTriedAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) <= 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("the words"))
	}))
	defer srv.Close()
	b := newBench(t)
	b.env = []string{"BELAY_ATTACHMENTS_ALLOWED_HOSTS=" + strings.TrimPrefix(srv.URL, "http://")}
	flow := func(retries string) string {
		return b.write("flow.yaml", `id: x
agents: [{id: a, instructions: hello}]
tasks: [{id: one, agent: a, prompt: One., `+retries+`attachments: [{type: url, fetch: true, url: "`+srv.URL+`/a.txt"}]}]
`)
	}
	code, _, errs := b.run("", "run", flow(""))
	if code != ExitUsage || !strings.Contains(errs, "the server answers 503 Service Unavailable (tried 3 times)") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	asked.Store(0)
	if code, out, errs := b.run("", "run", flow("retries: 3, ")); code != ExitDone {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if n := asked.Load(); n != 4 {
		t.Errorf("asked %d times", n)
	}
}
