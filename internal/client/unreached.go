package client

import (
	"context"
	"errors"

	"belay/internal/fault"
	"belay/internal/netguard"
)

// Unreached says that no answer came from the server, and why in plain words.
type Unreached struct {
	// Address is the server's, as the client was given it.
	Address string
	// Err is the network's own error.
	Err error
}

// Error implements error.
func (u *Unreached) Error() string {
	return "no answer from the server at " + u.Address + ": " + reason(u.Err)
}

// Unwrap returns the network's error.
func (u *Unreached) Unwrap() error { return u.Err }

// unreached explains an error of the network. The end of the caller's context is none.
func (s *server) unreached(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &Unreached{Address: s.base, Err: err}
}

// reason is why there was no answer. What it does not know it gives in the words of
// the system, without the names of calls and addresses around them.
func reason(err error) string {
	if known := netguard.Reason(err); known != "" {
		return known
	}
	return fault.Innermost(err).Error()
}
