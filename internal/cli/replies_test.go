package cli

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// replies is a service that gives the answers in a folder, one after the other, for
// the script's time: replies NAME DIR. Its address is in the variable NAME. The n-th
// answer is the file n.sse, a stream, or n.STATUS.json, an error; what was asked for
// it is then in n.asked.json.
func replies(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: replies NAME DIR")
	}
	s := &replying{dir: ts.MkAbs(args[1])}
	server := httptest.NewServer(s)
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

type replying struct {
	dir string

	mu sync.Mutex
	n  int
}

func (s *replying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	asked, err := io.ReadAll(r.Body)
	if err == nil {
		asked = append(fmt.Appendf(nil, "%s %s %s\n", r.Method, r.URL.Path, r.Header.Get("Authorization")), asked...)
		err = os.WriteFile(filepath.Join(s.dir, fmt.Sprintf("%d.asked.json", s.n)), asked, 0o600)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if data, err := os.ReadFile(filepath.Join(s.dir, fmt.Sprintf("%d.sse", s.n))); err == nil {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(data)
		return
	}
	all, _ := filepath.Glob(filepath.Join(s.dir, fmt.Sprintf("%d.???.json", s.n)))
	for _, name := range all {
		status, err := strconv.Atoi(strings.Split(filepath.Base(name), ".")[1])
		data, err2 := os.ReadFile(name)
		if err == nil && err2 == nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write(data)
			return
		}
	}
	http.Error(w, "there is no such answer", http.StatusTeapot)
}

// draw writes a picture of one grey pixel: draw FILE.png
func draw(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: draw FILE.png")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, 1, 1))), f.Close()))
}
