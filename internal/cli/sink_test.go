package cli

import (
	"errors"
	"io"
	"syscall"
	"testing"
)

// A reader that went away is no failure of the command, unless somebody must have
// read what was written.
func TestSinkLost(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	_ = r.Close()
	s := &sink{w: w}
	if err := s.lost(); err != nil {
		t.Errorf("before anything was written: %v", err)
	}
	if n, err := s.Write([]byte("hello")); n != 5 || err != nil {
		t.Errorf("Write returned %d, %v", n, err)
	}
	if err := s.failure(); err != nil {
		t.Errorf("failure: %v", err)
	}
	if err := s.lost(); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("lost: %v", err)
	}
	full := errors.New("full")
	s = &sink{w: failing{full}}
	_, _ = s.Write([]byte("hello"))
	if err := s.lost(); !errors.Is(err, full) {
		t.Errorf("lost: %v", err)
	}
	if err := s.failure(); err != nil {
		t.Errorf("told twice: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
