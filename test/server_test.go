package test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "belay/internal/cli" // results of tests are kept: another program is to be tested anew
	testprogram "belay/test/program"
)

// patience bounds every wait; only a failure reaches it.
const patience = 5 * time.Minute

// connections keeps its idle connections: those of the default transport are closed
// when the httptest.Server of any test closes.
var connections = &http.Transport{}

// belay builds the program once for all tests of this package.
var belay = sync.OnceValues(func() (string, error) {
	dir, err := built()
	if err != nil {
		return "", err
	}
	return testprogram.Build(context.Background(), dir)
})

// racedBelay is the program with the race detector where BELAY_RACE is set, see [place.race].
var racedBelay = sync.OnceValues(func() (string, error) {
	dir, err := built()
	if err != nil || os.Getenv("BELAY_RACE") == "" {
		return belay()
	}
	return testprogram.BuildRaced(context.Background(), dir)
})

// built is the folder of the programs; TestMain removes it.
var built = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "belay-test-") })

func TestMain(m *testing.M) {
	if code, is := asProgram(); is {
		os.Exit(code)
	}
	// Most of these tests wait: for a deadline, a server that starts, a disk.
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		panic(err) // package testing has that flag
	}
	code := m.Run()
	if dir, err := built(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// place is a project and the folders of one operator.
type place struct {
	t       *testing.T
	project string
	env     []string
	// missing is what the machine does not have ([without]).
	missing string
	// raced is a place for the program with the race detector.
	raced bool
}

func newPlace(t *testing.T, env ...string) *place {
	t.Helper()
	home := t.TempDir()
	p := &place{t: t, project: t.TempDir()}
	p.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "NO_COLOR=1",
		"XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"BELAY_SCRIPTED_PACE=1ms",
	}, env...)
	return p
}

// race lets the processes of the place end at the first data race. Only some tests do that, where
// much happens at once: everything in such a process takes several times as long.
func (p *place) race() *place {
	p.raced = true
	p.env = append(p.env, "GORACE=halt_on_error=1 atexit_sleep_ms=0")
	return p
}

// command is a belay process of the place, not yet started.
func (p *place) command(args ...string) *exec.Cmd {
	p.t.Helper()
	program, err := belay()
	if p.raced {
		program, err = racedBelay()
	}
	must(p.t, err)
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = slices.Clone(p.env), p.project
	self, err := os.Executable()
	must(p.t, err)
	without(cmd, p.missing, self)
	return cmd
}

// server is a running belay serve.
type server struct {
	*place
	cmd *exec.Cmd
	url string
	err *bytes.Buffer
}

// serve starts a server and waits until it answers.
func (p *place) serve(args ...string) *server {
	p.t.Helper()
	return p.begin(p.command(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...))
}

// begin starts a server by that command and waits until it answers.
func (p *place) begin(cmd *exec.Cmd) *server {
	p.t.Helper()
	s := &server{place: p, cmd: cmd, err: &bytes.Buffer{}}
	if why := s.start(); why != "" {
		p.t.Fatal(why)
	}
	return s
}

// start runs the server's command and waits until it answers; otherwise it
// returns why it does not.
func (s *server) start() string {
	s.t.Helper()
	s.cmd.Stderr = s.err
	out, err := s.cmd.StdoutPipe()
	must(s.t, err)
	if err := s.cmd.Start(); err != nil {
		return err.Error()
	}
	s.t.Cleanup(func() {
		s.kill()
		if s.raced && strings.Contains(s.err.String(), "DATA RACE") {
			s.t.Errorf("the server ended at a data race:\n%s", s.err)
		}
	})
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(out).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		url, ok := strings.CutPrefix(strings.TrimSpace(text), "listening on ")
		if strings.HasPrefix(text, "{") {
			var line struct{ URL string }
			ok = json.Unmarshal([]byte(text), &line) == nil
			url = line.URL
		}
		if !ok {
			s.kill() // its words are complete then
			return fmt.Sprintf("the server said %q\n%s", text, s.err)
		}
		s.url = url
		return ""
	case <-time.After(patience):
		s.kill()
		return fmt.Sprintf("the server did not listen\n%s", s.err)
	}
}

// stop tells the server to stop and waits until it has. Nothing that works holds it
// up for the time that running turns have.
func (s *server) stop() {
	s.t.Helper()
	must(s.t, s.cmd.Process.Signal(syscall.SIGTERM))
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatalf("the server that was told to stop: %v\n%s", err, s.err)
	}
	if strings.Contains(s.err.String(), "interrupted") {
		s.t.Errorf("the server that was told to stop said %s", s.err)
	}
}

// kill is kill -9; a server that is gone already is fine.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// do sends a request and returns the whole answer.
func (s *server) do(method, path, body string, header ...string) (int, string) {
	s.t.Helper()
	res := s.open(context.Background(), method, path, body, header...)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must(s.t, err)
	return res.StatusCode, string(b)
}

// open sends a request and returns the answer as it begins.
func (s *server) open(ctx context.Context, method, path, body string, header ...string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	must(s.t, err)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := (&http.Client{Timeout: patience, Transport: connections}).Do(req)
	must(s.t, err)
	return res
}

// post sends a body; unlike open it leaves a failed connection to the caller.
func (s *server) post(path, body string, header ...string) (*http.Response, error) {
	req, err := http.NewRequest("POST", s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return (&http.Client{Timeout: patience, Transport: connections}).Do(req)
}

// fails checks an error answer and returns its details.
func (s *server) fails(wantStatus int, wantType, method, path, body string, header ...string) map[string]any {
	s.t.Helper()
	status, answer := s.do(method, path, body, header...)
	var e struct {
		Error struct {
			Type, Message string
			Details       map[string]any
		}
	}
	if err := json.Unmarshal([]byte(answer), &e); err != nil || status != wantStatus || e.Error.Type != wantType || e.Error.Message == "" {
		s.t.Errorf("%s %s %s\n got %d %s\nwant %d %s", method, path, clip(body), status, answer, wantStatus, wantType)
	}
	return e.Error.Details
}

func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// session makes a session and returns its id.
func (s *server) session() string {
	s.t.Helper()
	status, answer := s.do("POST", "/api/harness/session/create", jsonOf(map[string]any{"projectRoot": s.project}))
	if status != 200 {
		s.t.Fatalf("create: %d %s", status, answer)
	}
	var v struct{ Session struct{ SessionID string } }
	must(s.t, json.Unmarshal([]byte(answer), &v))
	return v.Session.SessionID
}

// sse is one event of a stream.
type sse struct {
	id   int64
	name string
	data map[string]any
}

// scanner reads the events of a stream one by one.
func scanner(r io.Reader) func() (sse, error) {
	in := bufio.NewReader(r)
	return func() (sse, error) {
		var e sse
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return e, err
			}
			line = strings.TrimSuffix(line, "\n")
			switch {
			case line == "" && e.name != "":
				return e, nil
			case strings.HasPrefix(line, "id: "):
				if e.id, err = strconv.ParseInt(line[4:], 10, 64); err != nil {
					return e, err
				}
			case strings.HasPrefix(line, "event: "):
				e.name = line[7:]
			case strings.HasPrefix(line, "data: "):
				if err := json.Unmarshal([]byte(line[6:]), &e.data); err != nil {
					return e, err
				}
			}
		}
	}
}

// events reads a stream to its end.
func events(t *testing.T, r io.Reader) []sse {
	t.Helper()
	next := scanner(r)
	var all []sse
	for {
		e, err := next()
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		all = append(all, e)
	}
}

// turn runs a turn and returns its events.
func (s *server) turn(body map[string]any, header ...string) []sse {
	s.t.Helper()
	res := s.open(context.Background(), "POST", "/api/harness/turn", jsonOf(body), header...)
	defer res.Body.Close()
	if res.StatusCode != 200 {
		b, _ := io.ReadAll(res.Body)
		s.t.Fatalf("turn: %d %s", res.StatusCode, b)
	}
	return events(s.t, res.Body)
}

// names are the events' names in order, runs of the same one as one.
func names(all []sse) string {
	var out []string
	for _, e := range all {
		if n := len(out); n == 0 || out[n-1] != e.name {
			out = append(out, e.name)
		}
	}
	return strings.Join(out, " ")
}

func last(t *testing.T, all []sse) sse {
	t.Helper()
	if len(all) == 0 {
		t.Fatal("the stream was empty")
	}
	return all[len(all)-1]
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // test data always marshals
	}
	return string(b)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
