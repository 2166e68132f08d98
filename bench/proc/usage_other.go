//go:build !linux

package proc

import (
	"errors"
	"time"
)

// Memory is what a process occupies, in bytes.
type Memory struct {
	Resident, Peak int64
}

// ErrUnsupported is the answer of systems without /proc.
var ErrUnsupported = errors.New("what a process uses can be read on Linux only")

// Memory returns [ErrUnsupported].
func (s *Server) Memory() (Memory, error) { return Memory{}, ErrUnsupported }

func memoryOf(int) (Memory, error) { return Memory{}, ErrUnsupported }

// ForgetPeak returns [ErrUnsupported].
func (s *Server) ForgetPeak() error { return ErrUnsupported }

// Processor returns [ErrUnsupported].
func (s *Server) Processor() (time.Duration, error) { return 0, ErrUnsupported }
