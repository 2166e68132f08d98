package repository

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
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
	p := newPack()
	last := p.add(t, offsetDelta, p.add(t, 3, 0, base), delta)
	b := newBomb(t)
	id := sum(20, "blob", make([]byte, part*parts))
	b.pack(p, id, last)
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
