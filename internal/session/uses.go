package session

import (
	"crypto/rand"
	"encoding/binary"
	"hash/crc32"
	"os"
	"sync"

	"belay/internal/durable"
)

// uses is a file of the state folder that tells a list which transcripts may have
// grown, so that it need not look at each. The file has a fixed number of slots; the
// slot of a session follows from its id. Whoever appends to a transcript puts a new
// number into its slot, afterwards. A list that finds the number that it found the
// last time knows that no belay has written since. Sessions that share a slot are
// looked at together, which costs a look.
//
// The file begins with a number of its own: one that is made again says nothing about
// the time before. It is never flushed; after a start of the system nobody goes by it.
type uses struct {
	store *Store

	mu sync.Mutex
	f  *os.File    // nil until the first lease
	is os.FileInfo // of f, to compare with what has its name
}

const (
	fileUses = "uses"
	// useSlots is how many slots there are, slotBytes how long each and the number at
	// the beginning is.
	useSlots  = 4096
	slotBytes = 8
	usesBytes = slotBytes * (1 + useSlots)
)

// useTable is the content of the file; nil knows nothing.
type useTable []byte

// made is the number of the file, 0 for none.
func (t useTable) made() uint64 { return t.number(0) }

// of is the number of a session's slot.
func (t useTable) of(id string) uint64 { return t.number(slotOf(id)) }

func (t useTable) number(at int64) uint64 {
	if len(t) != usesBytes {
		return 0
	}
	return binary.LittleEndian.Uint64(t[at:])
}

// slotOf is where the slot of a session begins.
func slotOf(id string) int64 {
	return slotBytes * (1 + int64(crc32.ChecksumIEEE([]byte(id))%useSlots))
}

// read returns the file as it is now. It makes one that is missing, so that the next
// list can go by it.
func (u *uses) read() useTable {
	for range 2 {
		if b, _, err := durable.ReadFile(u.store.stateDir.Root(), fileUses, usesBytes); len(b) == usesBytes && err == nil {
			return b
		}
		u.open()
	}
	return nil
}

// open makes sure that the open file is the one that lists read. Every lease calls
// it.
func (u *uses) open() {
	root := u.store.stateDir.Root()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.f != nil {
		if named, err := root.Lstat(fileUses); err == nil && os.SameFile(u.is, named) && named.Size() == usesBytes {
			return
		}
		u.shut()
	}
	f, err := durable.Open(root, fileUses, 0o600, durable.SessionUses)
	if err != nil {
		return
	}
	u.f = f
	if u.is, err = f.Stat(); err == nil && u.is.Size() != usesBytes {
		// Another process that makes it now does the same. Whose number stays does not
		// matter: who reads it looks at the sessions afterwards.
		table := append(newNumber(), make([]byte, usesBytes-slotBytes)...)
		err = durable.WriteAt(f, table, 0, durable.SessionUses)
	}
	if err != nil {
		u.shut()
	}
}

// newNumber is one that was never there before.
func newNumber() []byte {
	b := make([]byte, slotBytes)
	_, _ = rand.Read(b) // it does not fail
	return b
}

// shut closes the file. u.mu is held.
func (u *uses) shut() {
	if u.f != nil {
		_ = u.f.Close() // what was written through it is in the file
		u.f = nil
	}
}

// note says that a transcript has grown. Where that fails, the file goes, so that no
// list goes by it.
func (u *uses) note(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	err := os.ErrClosed
	if u.f != nil {
		err = durable.WriteAt(u.f, newNumber(), slotOf(id), durable.SessionUses)
	}
	if err != nil {
		_ = durable.Remove(u.store.stateDir.Root(), fileUses)
	}
}

// close ends the use of the file.
func (u *uses) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.shut()
}
