package settings

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// server is a running belay serve.
type server struct {
	*bench
	cmd *exec.Cmd
	url string
	log *output
}

// output is what a process writes while others read it.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// serve starts a server on a free port and waits until it listens.
func (b *bench) serve(args ...string) *server {
	b.t.Helper()
	s := &server{bench: b, cmd: b.command(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...), log: &output{}}
	s.listen()
	return s
}

// listen starts the server's command and waits until it listens.
func (s *server) listen() {
	s.t.Helper()
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	must(s.t, err)
	must(s.t, s.cmd.Start())
	s.t.Cleanup(func() { _, _ = s.cmd.Process.Kill(), s.cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok {
			s.url = strings.Fields(url)[0]
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return
		}
	}
	s.t.Fatalf("the server does not listen: %v\n%s", lines.Err(), s.log)
}

// stop asks the server to end and waits for it.
func (s *server) stop() {
	s.t.Helper()
	must(s.t, s.cmd.Process.Signal(syscall.SIGTERM))
	_ = s.cmd.Wait() // by the signal
}

// request opens an answer.
func (s *server) request(method, path string, body any, header ...string) *http.Response {
	s.t.Helper()
	var data []byte
	switch v := body.(type) {
	case nil:
	case string:
		data = []byte(v)
	default:
		var err error
		data, err = json.Marshal(v)
		must(s.t, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(data))
	must(s.t, err)
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	must(s.t, err)
	s.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// ask is the status and the body of an answer.
func (s *server) ask(method, path string, body any, header ...string) string {
	s.t.Helper()
	res := s.request(method, path, body, header...)
	text, err := io.ReadAll(res.Body)
	if err != nil {
		text = append(text, "\nbroken off"...)
	}
	return fmt.Sprintf("status %d\n%s", res.StatusCode, text)
}

// session makes a session and returns its id.
func (s *server) session() string {
	s.t.Helper()
	text := s.ask("POST", "/api/harness/session/create", map[string]any{"projectRoot": s.project})
	_, id, ok := strings.Cut(text, `"sessionId":"`)
	if !ok {
		s.t.Fatal(text)
	}
	id, _, _ = strings.Cut(id, `"`)
	return id
}

type turnRequest struct {
	SessionID   string         `json:"sessionId"`
	Message     string         `json:"message"`
	Attachments []string       `json:"attachments,omitempty"`
	Opts        map[string]any `json:"opts,omitempty"`
}

// begin starts a turn and waits until its stream has a text.
func (s *server) begin(session, until string) *bufio.Reader {
	s.t.Helper()
	res := s.request("POST", "/api/harness/turn", turnRequest{SessionID: session, Message: "go"})
	r := bufio.NewReader(res.Body)
	s.await(r, until)
	return r
}

// await reads lines until one has a text, and returns them.
func (s *server) await(r *bufio.Reader, texts ...string) string {
	s.t.Helper()
	var seen strings.Builder
	for {
		line, err := r.ReadString('\n')
		seen.WriteString(line)
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) }) {
			return seen.String()
		}
		if err != nil {
			s.t.Fatalf("%q never came: %v\n%s", texts, err, seen.String())
		}
	}
}

// proc is a file of the server's process.
func (s *server) proc(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, name))
	must(s.t, err)
	return string(text)
}
