// Package proc runs the servers that are measured: each a child process with an
// environment of its own, stopped by its own process id, never by its name.
package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// startTimeout bounds the start of a server, stopTimeout its orderly end.
const (
	startTimeout = 30 * time.Second
	stopTimeout  = 30 * time.Second
)

// Command says how to start a server. It must print a line that contains
// "http://HOST:PORT" on its standard output once it listens.
type Command struct {
	Path string
	Args []string
	// Env is the whole environment.
	Env []string
	Dir string
	// Probe is the path that answers with status 200.
	Probe string
}

// Server is a child process that answers requests.
type Server struct {
	// Addr is where it listens, host:port.
	Addr string
	// Started is the time from the start of the process to its first answer.
	Started time.Duration

	cmd  *exec.Cmd
	said *tail
	done chan struct{}
	err  error // of the process, after done
}

// Start starts a server and waits for its first answer.
func Start(ctx context.Context, c Command) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	s := &Server{cmd: exec.Command(c.Path, c.Args...), said: &tail{}, done: make(chan struct{})} // not CommandContext: Stop ends it in order
	s.cmd.Env, s.cmd.Dir, s.cmd.Stderr = c.Env, c.Dir, s.said
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	addr := make(chan string, 1)
	go s.watch(out, addr)
	select {
	case s.Addr = <-addr:
		err = probe(ctx, "http://"+s.Addr+c.Probe)
	case <-s.done:
		return nil, fmt.Errorf("%s ended before it listened: %w\n%s", c.Path, s.err, s.said)
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.Started = time.Since(begin)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s did not answer: %w\n%s", c.Path, err, s.said), s.Stop())
	}
	return s, nil
}

// watch reads the output to its end and then waits for the process.
func (s *Server) watch(out io.Reader, addr chan<- string) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
			hostPort, _, _ := strings.Cut(strings.Fields(rest)[0], "/")
			select {
			case addr <- hostPort:
			default: // said already
			}
		}
	}
	if lines.Err() != nil { // such as a line that is too long
		_, _ = io.Copy(io.Discard, out)
	}
	s.err = s.cmd.Wait()
	close(s.done)
}

func probe(ctx context.Context, url string) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close() // only the status counts
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return nil
}

// Stop asks the process to end and waits. One that does not end in time is
// killed, which is an error, as is an exit code other than 0.
func (s *Server) Stop() error {
	if err := terminate(s.cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop process %d: %w", s.cmd.Process.Pid, err)
	}
	select {
	case <-s.done:
	case <-time.After(stopTimeout):
		err := s.cmd.Process.Kill()
		<-s.done
		return errors.Join(fmt.Errorf("process %d did not end within %s", s.cmd.Process.Pid, stopTimeout), err)
	}
	if s.err != nil && !endedBySignal(s.cmd.ProcessState) {
		return fmt.Errorf("process %d: %w\n%s", s.cmd.Process.Pid, s.err, s.said)
	}
	return nil
}

// endedBySignal is how a process without a handler for the signal ends.
func endedBySignal(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// tail keeps the end of what a process said on standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 8 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - most; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
