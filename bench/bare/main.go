// Command bare is the yardstick of the benchmarks: a net/http server that
// streams turns as Server-Sent Events and does nothing but the same input and
// output as belay. Per turn it reads the JSON body, appends the same number of
// event lines of the same size to a file of the session, streams each event
// with a flush, and flushes the file to disk once. It checks nothing, keeps no
// conversation and recovers from nothing: what belay takes longer is the price
// of what it does beyond that.
//
// The events come from a file of recorded ones, so that both servers send and
// store the same bytes.
//
// With -read it is the yardstick of whatever looks at many files: it reads those that
// a list names and does nothing with them. With -walk it looks at the names of all
// that a folder holds. With -sessions it looks at the record of each session in a
// folder, and reads those of a page and how their transcripts begin.
//
// With -caged it is the yardstick of confined commands: it confines itself, as
// little as can be, and becomes the program.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("dir", "", "folder for the session files")
	turn := flag.String("turn", "", "JSON file with the events of a turn")
	pace := flag.Duration("pace", 0, "wait after each chat:delta")
	upstream := flag.String("upstream", "", "base URL that attachments are sent to")
	program := flag.String("caged", "", "become this program, confined, instead")
	list := flag.String("read", "", "read the files that this file names, a line each, instead")
	folder := flag.String("walk", "", "walk this folder instead")
	sessions := flag.String("sessions", "", "look at the sessions in this folder and read some of them instead")
	flag.Parse()
	switch {
	case *program != "":
		return caged(*program)
	case *list != "":
		return readAll(*list)
	case *sessions != "":
		return readSome(*sessions)
	case *folder != "":
		return filepath.WalkDir(*folder, func(_ string, _ fs.DirEntry, err error) error { return err })
	}

	s := &server{dir: *dir, pace: *pace, upstream: *upstream, sessions: map[string]*session{}}
	data, err := os.ReadFile(*turn)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &s.turn); err != nil {
		return fmt.Errorf("%s: %w", *turn, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("POST /api/harness/session/create", s.create)
	mux.HandleFunc("POST /api/harness/turn", s.serveTurn)
	mux.HandleFunc("GET /api/harness/session/{id}/events", s.events)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	go func() {
		<-stop
		_ = h.Close() // nothing here is worth waiting for
	}()
	fmt.Printf("listening on http://%s\n", ln.Addr())
	if err := h.Serve(ln); err != http.ErrServerClosed {
		return err
	}
	return nil
}
