package crash

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func burst() error { panic("burst") }

func TestCaught(t *testing.T) {
	t.Parallel()
	if err := Caught(func() error { return io.EOF })(); err != io.EOF {
		t.Errorf("an error becomes %v", err)
	}
	var e *Error
	if err := Caught(burst)(); !errors.As(err, &e) || e.Value != "burst" || !strings.Contains(e.Error(), "crash.burst") {
		t.Errorf("a panic becomes %v", err)
	}
}

// Who waits gets the panic, and all goroutines have ended then.
func TestGroup(t *testing.T) {
	t.Parallel()
	stopped, ended := make(chan struct{}), false
	g := Group{Stop: func() { close(stopped) }}
	g.Go(func() { <-stopped; ended = true })
	for range 3 {
		g.Go(func() { _ = burst() })
	}
	defer func() {
		if e, ok := recover().(*Error); !ok || e.Value != "burst" || !ended {
			t.Errorf("Wait has the panic %v; the other goroutine has ended: %t", e, ended)
		}
	}()
	g.Wait()
	t.Error("Wait returned")
}
