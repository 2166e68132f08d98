package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
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
	var (
		name      *net.DNSError
		untrusted *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		host      x509.HostnameError
	)
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return "there is no host called " + name.Name
	case errors.As(err, &name):
		return "the name " + name.Name + " cannot be looked up now"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		return "it does not speak https"
	case errors.As(err, &host):
		return "its certificate is for another name"
	case errors.As(err, &untrusted):
		return "its certificate is not trusted"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), timedOut(err):
		return "it did not answer in time"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "it closed the connection"
	}
	for {
		under := errors.Unwrap(err)
		if under == nil {
			return err.Error()
		}
		err = under
	}
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
