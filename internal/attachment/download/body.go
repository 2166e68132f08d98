package download

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	"belay/internal/fault"
)

// buffers are what bodies are copied through.
var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// keep writes a response's body to file, which it closes.
func (d *Downloads) keep(f *File, file *os.File, res *http.Response) error {
	w := &keeper{w: file}
	n, err := d.copy(w, res)
	if e := file.Close(); w.err == nil && e != nil {
		w.err = e
	}
	switch {
	case w.err != nil:
		return unkept(w.err)
	case n > d.limit():
		return d.tooLarge("it has more than that")
	case err != nil:
		return err
	case n == 0:
		return &Error{Code: Empty, Reason: "the server sends nothing"}
	}
	f.Bytes = n
	return nil
}

// copy copies a body, one byte more than may come where there is more.
func (d *Downloads) copy(w io.Writer, res *http.Response) (int64, error) {
	if err := d.acceptable(res); err != nil {
		return 0, err
	}
	body, err := plain(res)
	if err != nil {
		return 0, err
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	return io.CopyBuffer(w, io.LimitReader(body, d.limit()+1), *buf)
}

// keeper tells a failing disk from a failing server.
type keeper struct {
	w   io.Writer
	err error
}

// Write implements [io.Writer].
func (k *keeper) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if err != nil {
		k.err = err
	}
	return n, err
}

func unkept(err error) error {
	return fault.New(fault.StorageFailure, "a download could not be kept").Because(err)
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

// unpacked tells what cannot be unpacked from what did not come.
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
