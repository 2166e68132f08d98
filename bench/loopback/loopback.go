// Package loopback serves a handler in this process: the bare side of a row, or a service
// that the measured server calls.
package loopback

import (
	"errors"
	"net"
	"net/http"
	"time"
)

// Server listens on the loopback address.
type Server struct {
	// Addr is where it listens, host:port.
	Addr string

	http *http.Server
	done chan error
}

// Serve starts a server. The caller stops it.
func Serve(h http.Handler) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: l.Addr().String(), http: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}, done: make(chan error, 1)}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// URL is the address of a path of the server.
func (s *Server) URL(path string) string { return "http://" + s.Addr + path }

// Stop ends the server and its connections, and waits for it.
func (s *Server) Stop() error {
	err := s.http.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
