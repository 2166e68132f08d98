package download

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"belay/internal/fault"
)

// bufferBytes is the size of what bodies are copied through, and of the largest body
// that is in memory as a whole.
const bufferBytes = 64 << 10

var buffers = sync.Pool{New: func() any { b := make([]byte, bufferBytes); return &b }}

// keep reads a body: what is small into memory, what is not to a file as it comes.
func (d *Downloads) keep(f *File, body io.Reader) error {
	body = io.LimitReader(body, d.limit()+1) // where there is more, it is one byte too long
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	n, err := fill(*buf, body)
	switch {
	case err == nil:
		f.Bytes, err = d.stream(f, body, *buf)
	case errors.Is(err, io.EOF):
		f.small, f.Bytes, err = bytes.Clone((*buf)[:n]), int64(n), nil
	}
	switch {
	case err != nil:
		return err
	case f.Bytes > d.limit():
		return d.tooLarge(fmt.Sprintf("it has more than %d bytes", d.limit()))
	case f.Bytes == 0:
		return &Error{Code: Empty, Reason: "the server sends nothing"}
	}
	return nil
}

// fill reads until buf is full or the reader fails, with [io.EOF] at its end. Unlike
// [io.ReadFull] it passes an unexpected end on as what it is: the server's.
func fill(buf []byte, r io.Reader) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	return n, err
}

// stream writes a body to a file, behind its beginning, which is in buf. It returns
// the length of both.
func (d *Downloads) stream(f *File, body io.Reader, buf []byte) (int64, error) {
	file, err := d.folder.create()
	if err != nil {
		return 0, unkept(err)
	}
	f.path = file.Name()
	w := &diskWriter{w: file}
	head, err := w.Write(buf)
	var tail int64
	if err == nil {
		tail, err = io.CopyBuffer(w, body, buf)
	}
	if e := file.Close(); w.err == nil && e != nil {
		w.err = e
	}
	if w.err != nil {
		err = unkept(w.err)
	}
	return int64(head) + tail, err
}

// diskWriter separates a failing disk from a failing server.
type diskWriter struct {
	w   io.Writer
	err error
}

// Write implements [io.Writer].
func (k *diskWriter) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if err != nil {
		k.err = err
	}
	return n, err
}

// plain is a body without its encoding. None was asked for, but some servers pack
// what they have; what comes out is held to the same limit.
func plain(res *http.Response) (io.Reader, error) {
	switch e := strings.ToLower(strings.TrimSpace(res.Header.Get("Content-Encoding"))); e {
	case "", "identity":
		return res.Body, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(res.Body)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = gzip.ErrHeader // too short to have one
		}
		if err != nil {
			return nil, unpackable(err)
		}
		return &unpacked{z}, nil
	default:
		return nil, &Error{Code: BadEncoding, Reason: fmt.Sprintf("it comes in the encoding %.40q, which was not asked for", e)}
	}
}

// unpacked distinguishes what cannot be unpacked from what did not come.
type unpacked struct{ r io.Reader }

// Read implements [io.Reader].
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		err = unpackable(err)
	}
	return n, err
}

func unpackable(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return &Error{Code: BadEncoding, Reason: "it cannot be unpacked", Err: err}
	}
	return err
}

func unkept(err error) error {
	return fault.New(fault.StorageFailure, "a download could not be kept").Because(err)
}
