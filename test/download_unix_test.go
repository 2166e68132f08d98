//go:build unix

package test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A download in mid-body is ended with its process. Interrupted, the process takes
// its files away itself; killed, it leaves them to the next one that starts, which
// takes nothing of one that lives.
//
// Covers: attachments 6.1
func TestDownloadsOfDeadProcessesAreSwept(t *testing.T) {
	t.Parallel()
	held, release := make(chan struct{}, 10), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Repeat("x", 100_000))
		if r.URL.Path != "/held" {
			return
		}
		w.(http.Flusher).Flush()
		held <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	t.Cleanup(srv.Close)
	p := newPlace(t, "BELAY_ATTACHMENTS_ALLOWED_HOSTS="+strings.TrimPrefix(srv.URL, "http://"))
	var downloads string
	for _, v := range p.env {
		if dir, ok := strings.CutPrefix(v, "XDG_CACHE_HOME="); ok {
			downloads = filepath.Join(dir, "belay", "downloads")
		}
	}
	entries := func() int {
		list, err := os.ReadDir(downloads)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(list)
	}
	begin := func() (kill func(), interrupt func()) {
		cmd := p.command("attach", "inspect", srv.URL+"/held")
		must(t, cmd.Start())
		select {
		case <-held:
		case <-time.After(patience):
			t.Fatal("the download does not begin")
		}
		for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
			if files, _ := filepath.Glob(filepath.Join(downloads, "*", "*")); len(files) > 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the download is in no file")
			}
		}
		end := func(s os.Signal) func() {
			return func() { _ = cmd.Process.Signal(s); _ = cmd.Wait() }
		}
		return end(os.Kill), end(os.Interrupt)
	}
	_, interrupt := begin()
	interrupt()
	if n := entries(); n != 0 {
		t.Errorf("an interrupted process leaves %d entries", n)
	}
	kill, _ := begin()
	kill()
	if n := entries(); n != 2 {
		t.Fatalf("a killed process leaves %d entries, want its folder and its lock", n)
	}
	_, live := begin() // it takes away what the killed one left
	if n := entries(); n != 2 {
		t.Errorf("%d entries beside a live process, want its own two", n)
	}
	out, err := p.command("attach", "inspect", srv.URL+"/short").CombinedOutput()
	if err != nil || entries() != 2 {
		t.Errorf("beside a live process: %d entries, %v: %s", entries(), err, out)
	}
	close(release)
	live()
	if n := entries(); n != 0 {
		t.Errorf("%d entries are left in the end", n)
	}
}
