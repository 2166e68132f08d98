package netguard

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

// Reason says in plain words why no answer came from a server, "" for an error that it
// does not know. It repeats no bytes that a server sent.
func Reason(err error) string {
	var (
		name      *net.DNSError
		untrusted *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		host      x509.HostnameError
		expired   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return "there is no host called " + name.Name
	case errors.As(err, &name):
		return "the name " + name.Name + " cannot be looked up now"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to host"
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		return "it does not speak https"
	case errors.As(err, &host):
		return "its certificate is for another name"
	case errors.As(err, &expired) && expired.Reason == x509.Expired:
		return "its certificate is not valid at this time"
	case errors.As(err, &untrusted):
		return "its certificate is not trusted"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), timedOut(err):
		return "it did not answer in time"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "it closed the connection"
	}
	return ""
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
