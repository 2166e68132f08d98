package repository

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"belay/internal/durable"
)

var errDamaged = errors.New("is damaged")

// index is the table of a pack's objects, sorted by id, of version 1 or 2. It is
// read in small pieces: those of large repositories have hundreds of megabytes.
type index struct {
	f      *os.File
	id     int   // bytes of an id
	n      int64 // objects
	fanout [256]uint32
	v2     bool
}

// openIndex opens the index at a path, which root names the folder of, nil for an
// absolute path.
func openIndex(root *os.Root, path string, id int) (_ *index, err error) {
	f, info, err := durable.OpenRegular(root, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it was only read
		}
	}()
	x := &index{f: f, id: id}
	head := make([]byte, 8+4*256)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("its index %w: %w", errDamaged, err)
	}
	table, entry := head[:4*256], int64(id+4)
	if bytes.HasPrefix(head, []byte("\377tOc")) {
		if v := binary.BigEndian.Uint32(head[4:]); v != 2 {
			return nil, fmt.Errorf("its index has the version %d, which is not known", v)
		}
		x.v2, table, entry = true, head[8:], int64(id+8)
	}
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(table[4*i:])
		if i > 0 && x.fanout[i] < x.fanout[i-1] {
			return nil, fmt.Errorf("its index %w", errDamaged)
		}
	}
	x.n = int64(x.fanout[255])
	if x.start()+x.n*entry > info.Size() {
		return nil, fmt.Errorf("its index %w", errDamaged)
	}
	return x, nil
}

// start is where the entries begin.
func (x *index) start() int64 {
	if x.v2 {
		return 8 + 4*256
	}
	return 4 * 256
}

// name is the id of entry i.
func (x *index) name(i int64) ([]byte, error) {
	at := x.start() + i*int64(x.id)
	if !x.v2 {
		at = x.start() + i*int64(4+x.id) + 4
	}
	return x.read(at, x.id)
}

// offset is where in the pack entry i is.
func (x *index) offset(i int64) (int64, error) {
	if !x.v2 {
		b, err := x.read(x.start()+i*int64(4+x.id), 4)
		if err != nil {
			return 0, err
		}
		return int64(binary.BigEndian.Uint32(b)), nil
	}
	small := x.start() + x.n*int64(x.id+4)
	b, err := x.read(small+4*i, 4)
	if err != nil {
		return 0, err
	}
	v := binary.BigEndian.Uint32(b)
	if v>>31 == 0 {
		return int64(v), nil
	}
	if b, err = x.read(small+4*x.n+8*int64(v&^(1<<31)), 8); err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(b) &^ (1 << 63)), nil
}

func (x *index) read(at int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := x.f.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("its index %w: %w", errDamaged, err)
	}
	return b, nil
}

// search returns the first entry that does not sort before id.
func (x *index) search(id []byte) (int64, error) {
	low, high := int64(0), int64(x.fanout[id[0]])
	if id[0] > 0 {
		low = int64(x.fanout[id[0]-1])
	}
	for low < high {
		mid := (low + high) / 2
		name, err := x.name(mid)
		if err != nil {
			return 0, err
		}
		if bytes.Compare(name, id) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, nil
}

// kinds are the types of whole objects in a pack.
var kinds = map[byte]kind{1: commit, 2: "tree", 3: "blob", 4: "tag"}

const (
	offsetDelta    = 6
	referenceDelta = 7
)

// lookup is where in the pack the object with this id is.
func (x *index) lookup(id []byte) (int64, error) {
	i, err := x.search(id)
	if err != nil {
		return 0, err
	}
	if i == x.n {
		return 0, errDamaged
	}
	if name, err := x.name(i); err != nil || !bytes.Equal(name, id) {
		return 0, errors.Join(errDamaged, err)
	}
	return x.offset(i)
}

// distance reads how far back the base of a difference is.
func distance(b []byte) (back int64, ok bool) {
	for i, c := range b {
		if i > 8 {
			return 0, false
		}
		back = back<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			return back, true
		}
		back++
	}
	return 0, false
}
