package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// sink is an output stream that outlives its reader. When the reader goes away
// (belay session list | head -1), later writes are dropped without a word: what
// the command was doing goes on, and its exit code speaks of that. Any other
// error, such as a full disk under a redirection, is kept for the exit code.
type sink struct {
	w    io.Writer
	mu   sync.Mutex
	gone bool
	err  error
}

// Write implements io.Writer; it never fails.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || s.err != nil {
		return len(p), nil
	}
	if _, err := s.w.Write(p); err != nil {
		if isBrokenPipe(err) {
			s.gone = true
		} else {
			s.err = err
		}
	}
	return len(p), nil
}

// failure is why output was lost, nil when it was not or when nobody wanted it.
func (s *sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		return nil
	}
	return failed(ExitFailed, "check where the output goes; the disk may be full", fmt.Errorf("write the output: %w", s.err))
}

// lost is why something that was written did not arrive, for a command whose
// output somebody must have read. It is reported once: failure is nil afterwards.
func (s *sink) lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.err
	if s.gone {
		err = syscall.EPIPE
	}
	if err != nil {
		s.gone, s.err = true, nil
	}
	return err
}

// errNoData is ERROR_NO_DATA, what Windows says of a closed pipe.
const errNoData = syscall.Errno(232)

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, errNoData)
}
