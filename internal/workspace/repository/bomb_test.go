package repository

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// bomb is a folder of objects that somebody made by hand.
type bomb struct {
	t   *testing.T
	dir string
}

func newBomb(t *testing.T) bomb { return bomb{t, t.TempDir()} }

// put stores an object and returns its id.
func (b bomb) put(k kind, data []byte) string {
	b.t.Helper()
	id := hex.EncodeToString(sum(20, k, data))
	must(b.t, os.MkdirAll(filepath.Join(b.dir, id[:2]), 0o755))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	fmt.Fprintf(z, "%s %d\x00", k, len(data))
	_, err := z.Write(data)
	must(b.t, errors.Join(err, z.Close(), os.WriteFile(filepath.Join(b.dir, id[:2], id[2:]), packed.Bytes(), 0o644)))
	return id
}

// objects reads what was put.
func (b bomb) objects() *Objects {
	b.t.Helper()
	root, err := os.OpenRoot(b.dir)
	must(b.t, err)
	b.t.Cleanup(func() { _ = root.Close() }) // it was only read
	return NewObjects(40, root)
}

// Forty trees that each name the next four times have 4^40 paths and no file. Nobody follows
// them to their end, with a deadline or without.
func TestTreesWithoutEnd(t *testing.T) {
	t.Parallel()
	b := newBomb(t)
	id := b.put("tree", nil)
	for range 40 {
		raw, err := hex.DecodeString(id)
		must(t, err)
		var next []byte
		for _, name := range []string{"a", "b", "c", "d"} {
			next = append(append(next, treeMode+" "+name+"\x00"...), raw...)
		}
		id = b.put("tree", next)
	}
	c := b.put(commit, []byte("tree "+id+"\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n"))
	for name, read := range map[string]func(o *Objects) error{
		"Below": func(o *Objects) error { _, err := o.Below(t.Context(), c, ""); return err },
		"Files": func(o *Objects) error { _, err := o.Files(t.Context(), "", c); return err },
		"Made":  func(o *Objects) error { _, err := o.Made(t.Context(), c); return err },
	} {
		if err := read(b.objects()); !errors.Is(err, ErrTooMuch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := b.objects()
	_, err := o.tree(ctx, id)
	must(t, err)
	cancel()
	if _, err := o.tree(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("a tree that is known, after the end of its context: %v", err)
	}
}

// The trees that were read stay in memory, so there is a bound for all of them.
func TestManyLargeTrees(t *testing.T) {
	t.Parallel()
	b := newBomb(t)
	var ids []string
	for i := range 6 {
		var tree []byte
		for j := 0; len(tree) < maxObject-60; j++ {
			tree = fmt.Appendf(tree, "100644 %d-%07d\x00%020d", i, j, 0)
		}
		ids = append(ids, b.put("tree", tree))
	}
	o, read := b.objects(), 0
	for _, id := range ids {
		if _, err := o.tree(t.Context(), id); err == nil {
			read++
		} else if !errors.Is(err, ErrTooMuch) {
			t.Fatal(err)
		}
	}
	if read == 0 || read == len(ids) {
		t.Errorf("%d of %d trees were read", read, len(ids))
	}
}

// madePack is a pack that somebody makes by hand, of one object with an id.
type madePack struct{ bytes.Buffer }

func newPack() *madePack {
	p := &madePack{}
	p.WriteString("PACK\x00\x00\x00\x02\x00\x00\x00\x02")
	return p
}

// add writes an object, or the difference from the one at base, and returns where it is.
func (p *madePack) add(t *testing.T, what byte, base int, data []byte) (at int) {
	t.Helper()
	at = p.Len()
	c := what<<4 | byte(len(data)&15)
	for n := len(data) >> 4; n > 0; n >>= 7 {
		p.WriteByte(c | 0x80)
		c = byte(n & 0x7f)
	}
	p.WriteByte(c)
	if what == offsetDelta {
		back := at - base
		enc := []byte{byte(back & 0x7f)}
		for back >>= 7; back > 0; back >>= 7 {
			back--
			enc = append([]byte{0x80 | byte(back&0x7f)}, enc...)
		}
		p.Write(enc)
	}
	z := zlib.NewWriter(&p.Buffer)
	_, err := z.Write(data)
	must(t, errors.Join(err, z.Close()))
	return at
}

// pack stores a pack and its index, which has one object.
func (b bomb) pack(p *madePack, id []byte, at int) {
	b.t.Helper()
	p.Write(make([]byte, 64))
	table := bytes.NewBufferString("\377tOc\x00\x00\x00\x02")
	for i := range 256 {
		n := uint32(0)
		if i >= int(id[0]) {
			n = 1
		}
		must(b.t, binary.Write(table, binary.BigEndian, n))
	}
	table.Write(id)
	must(b.t, binary.Write(table, binary.BigEndian, [2]uint32{0, uint32(at)}))
	table.Write(make([]byte, 40))
	must(b.t, os.Mkdir(filepath.Join(b.dir, "pack"), 0o755))
	must(b.t, os.WriteFile(filepath.Join(b.dir, "pack", "pack-x.idx"), table.Bytes(), 0o644))
	must(b.t, os.WriteFile(filepath.Join(b.dir, "pack", "pack-x.pack"), p.Bytes(), 0o644))
}

// An object that is the difference from another, again and again, counts with all of them.
func TestChainOfLargeDifferences(t *testing.T) {
	t.Parallel()
	p := newPack()
	last := p.add(t, 3, 0, make([]byte, maxObject))
	for range 60 {
		last = p.add(t, offsetDelta, last, make([]byte, maxObject))
	}
	b, id := newBomb(t), bytes.Repeat([]byte{0xab}, 20)
	b.pack(p, id, last)
	for room, want := range map[int64]error{0: errDamaged, maxObject + 1: ErrTooMuch} {
		o := b.objects()
		o.room = room
		if _, _, err := o.object(t.Context(), hex.EncodeToString(id)); !errors.Is(err, want) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}
