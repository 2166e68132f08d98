package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// attach does what must be done with attached files at the least: each is read,
// hashed, stored under its hash and made durable, and all are sent upstream in
// base64. The stored copies are what is sent.
func (s *server) attach(r *http.Request, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	stored := make([]string, len(paths))
	for i, p := range paths {
		var err error
		if stored[i], err = s.store(p); err != nil {
			return err
		}
	}
	body, w := io.Pipe()
	go func() { w.CloseWithError(send(w, stored)) }()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, s.upstream+"/v1/messages", body)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("upstream: %s", resp.Status)
	}
	return errors.Join(err, resp.Body.Close())
}

func (s *server) store(path string) (stored string, err error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.CreateTemp(s.dir, "blob")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	h := sha256.New()
	if _, err := io.CopyBuffer(io.MultiWriter(out, h), struct{ io.Reader }{in}, make([]byte, 256<<10)); err != nil {
		return "", err
	}
	stored = filepath.Join(s.dir, hex.EncodeToString(h.Sum(nil)))
	return stored, errors.Join(out.Sync(), os.Rename(out.Name(), stored))
}

// send writes the files to out, each in base64. The encoder writes a kilobyte at a
// time, which a pipe hands over one by one.
func send(out io.Writer, paths []string) error {
	w := bufio.NewWriterSize(out, 64<<10)
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		enc := base64.NewEncoder(base64.StdEncoding, w)
		_, err = io.CopyBuffer(enc, struct{ io.Reader }{f}, make([]byte, 48<<10))
		if err := errors.Join(err, enc.Close(), f.Close()); err != nil {
			return err
		}
	}
	return w.Flush()
}
