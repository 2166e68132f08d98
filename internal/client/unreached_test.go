package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestUnreached(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return &url.Error{Op: "Post", URL: "http://x:1/api", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	c := &server{base: "http://x:1"}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{dial(&os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED}), "nothing listens there"},
		{dial(&net.DNSError{Name: "x", IsNotFound: true}), "there is no host called x"},
		{dial(&net.DNSError{Name: "x", IsTimeout: true}), "the name x cannot be looked up now"},
		{dial(os.ErrDeadlineExceeded), "it did not answer in time"},
		{fmt.Errorf("read: %w", syscall.ECONNRESET), "it closed the connection"},
		{fmt.Errorf("POST x: %w", io.ErrUnexpectedEOF), "it closed the connection"},
		{&url.Error{Op: "Post", URL: "https://x:1", Err: http.ErrSchemeMismatch}, "it does not speak https"},
		{&url.Error{Op: "Get", URL: "https://x:1", Err: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}}, "its certificate is not trusted"},
		{&url.Error{Op: "Get", URL: "https://x:1", Err: &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}}}, "its certificate is for another name"},
		{dial(&os.SyscallError{Syscall: "connect", Err: syscall.EHOSTUNREACH}), "no route to host"},
	} {
		err := c.unreached(tt.err)
		if got := err.Error(); got != "no answer from the server at http://x:1: "+tt.want {
			t.Errorf("%v: %s, want %s", tt.err, got, tt.want)
		}
		if !errors.Is(err, tt.err) || strings.Contains(err.Error(), "dial tcp") {
			t.Errorf("%v became %v", tt.err, err)
		}
	}
	if err := c.unreached(dial(context.Canceled)); !errors.Is(err, context.Canceled) || errors.As(err, new(*Unreached)) {
		t.Errorf("who went away is told %v", err)
	}
}
