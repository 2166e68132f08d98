package test

import (
	"context"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// words collects what a process says, and is asked while it does.
type words struct {
	mu   sync.Mutex
	said strings.Builder
	// until is closed when the text was said.
	text  string
	until chan struct{}
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said.Write(p)
	if w.text != "" && strings.Contains(w.said.String(), w.text) {
		w.text = ""
		close(w.until)
	}
	return len(p), nil
}

// A server whose address is still in use, as that of one that was killed just now is
// for a moment, says so and gets it when it is free. Where it stays in use, the
// server ends and says what helps.
func TestAddressInUse(t *testing.T) {
	t.Parallel()
	for name, frees := range map[string]bool{"for a moment": true, "for good": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			defer ln.Close()
			p := newPlace(t)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			program, err := belay()
			must(t, err)
			cmd := exec.CommandContext(ctx, program, "serve", "--addr", ln.Addr().String())
			cmd.Env, cmd.Dir = p.env, p.project
			said := &words{text: "the address is in use", until: make(chan struct{})}
			out := &words{text: "listening on ", until: make(chan struct{})}
			cmd.Stderr, cmd.Stdout = said, out
			must(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-said.until:
			case err := <-ended:
				t.Fatalf("the server ended with %v: %s", err, said.said.String())
			}
			if frees {
				time.Sleep(200 * time.Millisecond) // it has to try more than once
				must(t, ln.Close())
				select {
				case <-out.until:
					must(t, cmd.Process.Kill())
					<-ended
				case err := <-ended:
					t.Fatalf("the server ended with %v: %s", err, said.said.String())
				}
				return
			}
			if err := <-ended; err == nil || !strings.Contains(said.said.String(), "hint: choose another address") {
				t.Errorf("the server ended with %v: %s", err, said.said.String())
			}
		})
	}
}
