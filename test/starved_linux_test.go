package test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// limit takes from a running server, or gives back, what it may use of something.
func (s *server) limit(resource int, n uint64) {
	s.t.Helper()
	var l unix.Rlimit
	must(s.t, unix.Prlimit(s.cmd.Process.Pid, resource, nil, &l))
	l.Cur = min(n, l.Max)
	must(s.t, unix.Prlimit(s.cmd.Process.Pid, resource, &l, nil))
}

// In the middle of a turn the disk becomes full, or the server can open no more files.
// Every stream over HTTP ends with process:exit: that of the turn, of who follows it,
// and of who comes later. Who follows the session is told as well. With room again
// the end is on record, once, and the session goes on. Package turn tests the same at
// every step.
//
// Covers: turn-api REQ-03, REQ-12
func TestStreamsEndWhenTheMeansRunOut(t *testing.T) {
	t.Parallel()
	for what, resource := range map[string]int{"full disk": unix.RLIMIT_FSIZE, "open files": unix.RLIMIT_NOFILE} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newPlace(t, "BELAY_SCRIPTED_PACE=20ms").serve()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			for _, after := range []int{1, 2, 4} {
				s.starve(ctx, resource, after)
			}
		})
	}
}

// starve takes the means away when a turn has sent so many events.
func (s *server) starve(ctx context.Context, resource, after int) {
	t := s.t
	t.Helper()
	id := s.session()
	log := "/api/harness/session/" + id + "/events"
	starter := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": strings.Repeat("words that take their time ", 400)}))
	defer starter.Body.Close()
	next := scanner(starter.Body)
	var seen []sse
	for range after {
		e, err := next()
		must(t, err)
		seen = append(seen, e)
	}
	turn := fmt.Sprint(seen[0].data["turnId"])
	follower := s.open(ctx, "GET", log+"?turn="+turn, "")
	defer follower.Body.Close()
	watcher := s.open(ctx, "GET", log, "")
	defer watcher.Body.Close()
	// A connection that is there already needs no file.
	late := &http.Client{Transport: &http.Transport{}}
	get := func(path string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
		must(t, err)
		return late.Do(req)
	}
	res, err := get("/healthz")
	must(t, err)
	_, err = io.Copy(io.Discard, res.Body)
	must(t, errors.Join(err, res.Body.Close()))

	s.limit(resource, 0)
	for name, next := range map[string]func() (sse, error){"starter": next, "follower": scanner(follower.Body), "watcher": scanner(watcher.Body)} {
		for end := (sse{}); end.name != "process:exit"; {
			var err error
			if end, err = next(); err != nil {
				t.Fatalf("after %d events the stream of the %s ended with %v, behind %+v", after, name, err, end)
			}
			if end.name == "process:exit" && end.data["errorType"] != "STORAGE_FAILURE" {
				t.Errorf("after %d events the %s was told %v", after, name, end.data)
			}
		}
	}
	if res, err = get(log + "?turn=" + turn); err != nil {
		t.Fatalf("after %d events nobody can ask: %v", after, err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		b, _ := io.ReadAll(res.Body)
		t.Fatalf("after %d events who came later got %d %s", after, res.StatusCode, b)
	}
	if end := last(t, events(t, res.Body)); end.name != "process:exit" {
		t.Errorf("after %d events who came later was told %+v", after, end)
	}

	s.limit(resource, math.MaxUint64)
	if all := s.turn(map[string]any{"sessionId": id, "message": "and on"}); last(t, all).data["exitCode"] != 0.0 {
		t.Errorf("with room again the turn ended with %v", last(t, all).data)
	}
	s.checkRecord(id)
}

// While the disk is full, or no file can be opened, the server says that it is not
// ready, and why; afterwards it is ready again.
func TestReadinessWhenTheMeansRunOut(t *testing.T) {
	t.Parallel()
	for what, resource := range map[string]int{"file too large": unix.RLIMIT_FSIZE, "too many open files": unix.RLIMIT_NOFILE} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newPlace(t).serve()
			s.becomes(200, `"ready"`) // over a connection that stays open
			s.limit(resource, 0)
			s.becomes(503, "the state folder cannot be written: "+what)
			s.limit(resource, math.MaxUint64)
			s.becomes(200, `"ready"`)
		})
	}
}
