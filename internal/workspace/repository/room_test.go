package repository

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Commits that were read stay known, and their messages do not stay with them. It is not
// parallel: it measures the memory of the process.
func TestLongMessagesAreNotKept(t *testing.T) {
	b := newBomb(t)
	const commits = 12
	var ids []string
	for i := range commits {
		text := fmt.Appendf(nil, "tree %040d\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nsubject %d\n\n", 0, i)
		ids = append(ids, b.put(commit, append(text, make([]byte, maxObject-len(text))...)))
	}
	o, before := b.objects(), heapNow()
	for i, id := range ids {
		c, _, err := o.commit(t.Context(), id)
		must(t, err)
		if want := fmt.Sprintf("subject %d", i); c.subject != want || c.author != "a <a> 1 +0000" {
			t.Errorf("commit %d is %+v", i, c)
		}
	}
	if kept := int64(heapNow()) - int64(before); kept > commits*maxObject/4 {
		t.Errorf("%d MiB are kept of %d commits", kept>>20, commits)
	}
	runtime.KeepAlive(o)
}

func heapNow() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Every reader has a bound for the bytes of all its objects.
func TestReaderHasRoom(t *testing.T) {
	t.Parallel()
	b := newBomb(t)
	o, read := b.objects(), 0
	for i := range maxRead/maxObject + 1 {
		data := make([]byte, maxObject)
		data[0] = byte(i)
		_, err := o.Content(t.Context(), b.put("blob", data))
		if err == nil {
			read++
		} else if !errors.Is(err, ErrTooMuch) {
			t.Fatal(err)
		}
	}
	if read != maxRead/maxObject {
		t.Errorf("%d objects were read", read)
	}
}

// A difference of a few bytes can make megabytes, and they count.
func TestResultOfDifferenceCounts(t *testing.T) {
	t.Parallel()
	const part = 0xffff
	base := make([]byte, part)
	number := func(n int) (enc []byte) {
		for ; n > 0x7f; n >>= 7 {
			enc = append(enc, byte(n&0x7f)|0x80)
		}
		return append(enc, byte(n))
	}
	const parts = maxObject / part
	delta := append(number(part), number(part*parts)...)
	for range parts {
		delta = append(delta, 0xb0, 0xff, 0xff) // copy so many bytes from the beginning
	}
	pack := bytes.NewBufferString("PACK\x00\x00\x00\x02\x00\x00\x00\x02")
	write := func(what byte, back int, data []byte) (at int) {
		at = pack.Len()
		c := what<<4 | byte(len(data)&15)
		for n := len(data) >> 4; n > 0; n >>= 7 {
			pack.WriteByte(c | 0x80)
			c = byte(n & 0x7f)
		}
		pack.WriteByte(c)
		if back > 0 {
			back = at - back
			enc := []byte{byte(back & 0x7f)}
			for back >>= 7; back > 0; back >>= 7 {
				back--
				enc = append([]byte{0x80 | byte(back&0x7f)}, enc...)
			}
			pack.Write(enc)
		}
		z := zlib.NewWriter(pack)
		_, err := z.Write(data)
		must(t, errors.Join(err, z.Close()))
		return at
	}
	last := write(offsetDelta, write(3, 0, base), delta)
	pack.Write(make([]byte, 64))
	id := sum(20, "blob", make([]byte, part*parts))
	table := bytes.NewBufferString("\377tOc\x00\x00\x00\x02")
	for i := range 256 {
		n := uint32(0)
		if i >= int(id[0]) {
			n = 1
		}
		must(t, binary.Write(table, binary.BigEndian, n))
	}
	table.Write(id)
	must(t, binary.Write(table, binary.BigEndian, [2]uint32{0, uint32(last)}))
	table.Write(make([]byte, 40))
	b := newBomb(t)
	must(t, os.Mkdir(filepath.Join(b.dir, "pack"), 0o755))
	must(t, os.WriteFile(filepath.Join(b.dir, "pack", "pack-x.idx"), table.Bytes(), 0o644))
	must(t, os.WriteFile(filepath.Join(b.dir, "pack", "pack-x.pack"), pack.Bytes(), 0o644))
	for room, want := range map[int64]error{maxRead: nil, 1 << 20: ErrTooMuch} {
		o := b.objects()
		o.room = room
		data, err := o.Content(t.Context(), hex.EncodeToString(id))
		if !errors.Is(err, want) || want == nil && len(data) != part*parts {
			t.Errorf("with room for %d bytes: %d, %v", room, len(data), err)
		}
	}
}

// Keeps holds one object at a time, so that it may read more than other readers.
func TestKeepsManyBytes(t *testing.T) {
	t.Parallel()
	b := newBomb(t)
	made := newBomb(t)
	var files []string
	for i := range maxRead/maxObject + 2 {
		data := make([]byte, maxObject)
		data[0] = byte(i)
		id := b.put("blob", data)
		made.put("blob", data)
		files = append(files, id[:2]+"/"+id[2:])
	}
	from, err := os.OpenRoot(b.dir)
	must(t, err)
	defer from.Close()
	other, err := os.OpenRoot(made.dir)
	must(t, err)
	defer other.Close()
	if !Keeps(t.Context(), from, other, files) {
		t.Error("objects that are all kept are said to be missing")
	}
}
