package repository

import (
	"bufio"
	"compress/zlib"
	"context"
	"io"
)

// maxDeltas is how many differences may be on each other; git makes 50, and has made 250.
const maxDeltas = 250

// objectAt reads the object at an offset of a pack, from its base where it is written as
// the difference from another.
func objectAt(ctx context.Context, x *index, pack io.ReaderAt, end, offset int64, depth int) (kind, []byte, error) {
	if depth > maxDeltas || offset < 0 || offset >= end {
		return "", nil, errDamaged
	}
	if ctx.Err() != nil {
		return "", nil, context.Cause(ctx)
	}
	r := bufio.NewReader(io.NewSectionReader(pack, offset, end-offset))
	c, err := r.ReadByte()
	size, shift, what := int64(c&0x0f), 4, c>>4&7
	for err == nil && c&0x80 != 0 && shift < 60 {
		c, err = r.ReadByte()
		size |= int64(c&0x7f) << shift
		shift += 7
	}
	if err != nil {
		return "", nil, errDamaged
	}
	base := int64(-1)
	switch what {
	case offsetDelta:
		head, _ := r.Peek(16) // as many as there are
		back, ok := distance(head)
		if !ok || back <= 0 || back > offset {
			return "", nil, errDamaged
		}
		for c = 0x80; c&0x80 != 0; {
			if c, err = r.ReadByte(); err != nil {
				return "", nil, errDamaged
			}
		}
		base = offset - back
	case referenceDelta:
		id := make([]byte, x.id)
		if _, err := io.ReadFull(r, id); err != nil {
			return "", nil, errDamaged
		}
		if base, err = x.lookup(id); err != nil {
			return "", nil, err
		}
	}
	z, err := zlib.NewReader(r)
	if err != nil {
		return "", nil, errDamaged
	}
	data, err := exactly(z, size)
	if err != nil {
		return "", nil, err
	}
	if base < 0 {
		k, ok := kinds[what]
		if !ok {
			return "", nil, errDamaged
		}
		return k, data, nil
	}
	k, from, err := objectAt(ctx, x, pack, end, base, depth+1)
	if err != nil {
		return "", nil, err
	}
	data, err = patched(from, data)
	return k, data, err
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
