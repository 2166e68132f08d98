package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
)

// copyBytes is the unit in which content is read, hashed and written.
const copyBytes = 256 << 10

// copyHashed copies r to w and returns the hash and length of what it copied.
// Content longer than one unit is hashed by a second goroutine while the next
// unit is read and written. Errors of r and ctx are returned as they are, those
// of w as STORAGE_FAILURE, more than limit bytes as [ErrTooLarge].
func copyHashed(ctx context.Context, w io.Writer, r io.Reader, limit int64) ([]byte, int64, error) {
	p := hashing{h: sha256.New()}
	var n int64
	for {
		if err := ctx.Err(); err != nil {
			p.finish()
			return nil, n, err
		}
		buf := buffers.Get().(*buffer)
		k, end, err := fill(r, buf[:])
		n += int64(k)
		if n > limit {
			err = fmt.Errorf("%w of %d bytes", ErrTooLarge, limit)
		}
		if err == nil && k > 0 {
			if _, e := w.Write(buf[:k]); e != nil {
				err = storage("the attachment could not be stored", e)
			}
		}
		p.add(buf, k, end || err != nil)
		switch {
		case err != nil:
			p.finish()
			return nil, n, err
		case end:
			return p.finish(), n, nil
		}
	}
}

// fill reads until buf is full or r ends.
func fill(r io.Reader, buf []byte) (n int, end bool, err error) {
	for n < len(buf) {
		k, err := r.Read(buf[n:])
		n += k
		switch {
		case errors.Is(err, io.EOF):
			return n, true, nil
		case err != nil:
			return n, false, err
		}
	}
	return n, false, nil
}

// buffer is one unit of copying.
type buffer [copyBytes]byte

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// hashing hashes units in order, in a goroutine of its own once there is more
// than one.
type hashing struct {
	h     hash.Hash
	units chan unit
	done  chan struct{}
}

type unit struct {
	buf *buffer
	n   int
}

// add hashes the first n bytes of buf and then gives buf back.
func (p *hashing) add(buf *buffer, n int, last bool) {
	if p.units == nil && last {
		p.hash(unit{buf, n})
		return
	}
	if p.units == nil {
		p.units, p.done = make(chan unit, 1), make(chan struct{})
		go func() {
			defer close(p.done)
			for u := range p.units {
				p.hash(u)
			}
		}()
	}
	p.units <- unit{buf, n}
}

func (p *hashing) hash(u unit) {
	p.h.Write(u.buf[:u.n])
	buffers.Put(u.buf)
}

// finish waits for the goroutine and returns the hash.
func (p *hashing) finish() []byte {
	if p.units != nil {
		close(p.units)
		<-p.done
	}
	return p.h.Sum(nil)
}
