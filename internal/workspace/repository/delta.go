package repository

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"io"
	"slices"
)

// maxDeltas is how many differences may be on each other; git makes 50, and has made 250.
const maxDeltas = 250

// written is how an object is in a pack: whole, or as the difference from another.
type written struct {
	what byte
	size int64
	// data is where its compressed bytes begin, and base is where the object is from which it
	// differs, -1 for one that is whole.
	data, base int64
}

// objectAt reads the object at an offset of a pack. One that is the difference from another is
// made from the first of its chain on: two of them are in memory at a time.
func (o *Objects) objectAt(ctx context.Context, x *index, pack io.ReaderAt, end, offset int64) (kind, []byte, error) {
	var chain []written
	for base := offset; base >= 0; base = chain[len(chain)-1].base {
		if ctx.Err() != nil {
			return "", nil, context.Cause(ctx)
		}
		w, err := writtenAt(x, pack, end, base)
		if err != nil {
			return "", nil, err
		}
		if chain = append(chain, w); len(chain) > maxDeltas+1 {
			return "", nil, errDamaged
		}
	}
	k, ok := kinds[chain[len(chain)-1].what]
	if !ok {
		return "", nil, errDamaged
	}
	var object []byte
	for i, w := range slices.Backward(chain) {
		if ctx.Err() != nil {
			return "", nil, context.Cause(ctx)
		}
		data, err := w.inflate(pack, end)
		if err != nil {
			return "", nil, err
		}
		if err := o.take(len(data)); err != nil {
			return "", nil, err
		}
		if i == len(chain)-1 {
			object = data
		} else if object, err = patched(object, data); err != nil {
			return "", nil, err
		}
	}
	if len(chain) > 1 { // a difference of a few bytes can make megabytes
		if err := o.take(len(object)); err != nil {
			return "", nil, err
		}
	}
	return k, object, nil
}

// writtenAt reads the head of what is at an offset of a pack.
func writtenAt(x *index, pack io.ReaderAt, end, offset int64) (w written, err error) {
	if offset < 0 || offset >= end {
		return w, errDamaged
	}
	head := make([]byte, min(maxHead+x.id, int(min(end-offset, 1<<10))))
	if _, err := pack.ReadAt(head, offset); err != nil {
		return w, errDamaged
	}
	r := bytes.NewReader(head)
	c, err := r.ReadByte()
	w = written{what: c >> 4 & 7, size: int64(c & 0x0f), base: -1}
	for shift := 4; err == nil && c&0x80 != 0 && shift < 60; shift += 7 {
		c, err = r.ReadByte()
		w.size |= int64(c&0x7f) << shift
	}
	if err != nil {
		return w, errDamaged
	}
	switch w.what {
	case offsetDelta:
		back, ok := distance(head[len(head)-r.Len():])
		if !ok || back <= 0 || back > offset {
			return w, errDamaged
		}
		for c = 0x80; c&0x80 != 0; {
			if c, err = r.ReadByte(); err != nil {
				return w, errDamaged
			}
		}
		w.base = offset - back
	case referenceDelta:
		id := make([]byte, x.id)
		if _, err := io.ReadFull(r, id); err != nil {
			return w, errDamaged
		}
		if w.base, err = x.lookup(id); err != nil {
			return w, err
		}
	}
	w.data = offset + int64(len(head)-r.Len())
	return w, nil
}

// maxHead is how many bytes the head of an object in a pack has at most, beside an id.
const maxHead = 32

// inflate returns the bytes of the object, or of the difference.
func (w written) inflate(pack io.ReaderAt, end int64) ([]byte, error) {
	z, err := zlib.NewReader(bufio.NewReader(io.NewSectionReader(pack, w.data, end-w.data)))
	if err != nil {
		return nil, errDamaged
	}
	return exactly(z, w.size)
}

// patched is what a difference makes of its base (gitformat-pack(5)).
func patched(base, delta []byte) ([]byte, error) {
	number := func() (n int64) {
		for shift := 0; len(delta) > 0 && shift < 60; shift += 7 {
			c := delta[0]
			delta = delta[1:]
			n |= int64(c&0x7f) << shift
			if c&0x80 == 0 {
				return n
			}
		}
		return -1
	}
	if was, size := number(), number(); was != int64(len(base)) || size < 0 || size > maxObject {
		return nil, errDamaged
	}
	var out []byte
	for len(delta) > 0 {
		c := delta[0]
		delta = delta[1:]
		if c&0x80 == 0 { // new bytes
			if c == 0 || int(c) > len(delta) {
				return nil, errDamaged
			}
			out, delta = append(out, delta[:c]...), delta[c:]
			continue
		}
		var at, n int
		for i := range 7 {
			if c&(1<<i) == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, errDamaged
			}
			if i < 4 {
				at |= int(delta[0]) << (8 * i)
			} else {
				n |= int(delta[0]) << (8 * (i - 4))
			}
			delta = delta[1:]
		}
		if n == 0 {
			n = 0x10000
		}
		if at < 0 || at+n > len(base) || len(out)+n > maxObject {
			return nil, errDamaged
		}
		out = append(out, base[at:at+n]...)
	}
	return out, nil
}
