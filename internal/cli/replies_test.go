package cli

import (
	"bytes"
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
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// replies is a service that gives the answers in a folder, one after the other, for
// the script's time: replies NAME DIR. Its address is in the variable NAME. The n-th
// answer is the file n.sse, a stream, or n.STATUS.json, with the header lines of
// n.header in its head, else the stream in all.sse. A stream n.open.sse does not end, and a file n.silent is no
// answer at all. What was asked for it is then in n.asked.json, and its header in
// n.asked.header.
func replies(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: replies NAME DIR")
	}
	server := httptest.NewServer(&replying{dir: ts.MkAbs(args[1])})
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

type replying struct {
	dir string
	n   atomic.Int64
}

func (s *replying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := strconv.FormatInt(s.n.Add(1), 10)
	file := func(rest string) string { return filepath.Join(s.dir, n+rest) }
	if err := keep(r, file(".asked")); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if lines, err := os.ReadFile(file(".header")); err == nil {
		for line := range strings.Lines(string(lines)) {
			name, value, _ := strings.Cut(line, ":")
			w.Header().Set(name, strings.TrimSpace(value))
		}
	}
	if _, err := os.Stat(file(".silent")); err == nil {
		<-r.Context().Done()
		return
	}
	if data, err := os.ReadFile(file(".sse")); err == nil {
		_, _ = w.Write(data)
		return
	}
	if data, err := os.ReadFile(file(".open.sse")); err == nil {
		_, _ = w.Write(data)
		_ = http.NewResponseController(w).Flush() // the caller may have left
		<-r.Context().Done()
		return
	}
	all, _ := filepath.Glob(file(".???.json"))
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
	data, err := os.ReadFile(filepath.Join(s.dir, "all.sse"))
	if err != nil {
		http.Error(w, "there is no such answer", http.StatusTeapot)
		return
	}
	_, _ = w.Write(data)
}

// keep writes what was asked for to files that begin with name.
func keep(r *http.Request, name string) error {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	var header bytes.Buffer
	asked = append(fmt.Appendf(nil, "%s %s %s\n", r.Method, r.URL.Path, r.Header.Get("Authorization")), asked...)
	return errors.Join(r.Header.Write(&header),
		os.WriteFile(name+".json", asked, 0o600), os.WriteFile(name+".header", header.Bytes(), 0o600))
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
