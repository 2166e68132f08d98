package watch

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// index is the list of a project's files with where the content of each lies in
// the pack, in a file beside that: what another process needs to find out what a
// command did whose process died. It grows by the folders in which something
// happened; a folder's last record counts.
type index struct {
	f    *os.File
	size int64
	sum  uint32 // of all of it
	// whole is how large it was when it was last written as a whole.
	whole int64
	// folders are those that it has.
	folders map[string]bool
}

// indexSlack is how much larger than three times a whole one an index may grow
// before it is written anew, in bytes.
const indexSlack = 1 << 20

func newIndex(name string) (*index, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &index{f: f, folders: map[string]bool{}}, nil
}

func (x *index) close() error { return x.f.Close() }

// restart empties the index.
func (x *index) restart() error {
	x.size, x.sum, x.whole = 0, 0, 0
	clear(x.folders)
	return x.f.Truncate(0)
}

// note brings the index up to what is held now.
func (x *index) note(held map[string]*holding) error {
	if x.size > 3*x.whole+indexSlack {
		if err := x.restart(); err != nil {
			return err
		}
	}
	anew := x.size == 0
	var b []byte
	for dir, h := range held {
		if anew || !h.noted {
			b = h.append(b, dir)
			h.noted, x.folders[dir] = true, true
		}
	}
	for dir := range x.folders {
		if held[dir] == nil {
			b = binary.AppendUvarint(appendText(b, dir), 0)
			delete(x.folders, dir)
		}
	}
	if len(b) == 0 {
		return nil
	}
	if _, err := x.f.WriteAt(b, x.size); err != nil {
		return err
	}
	x.size, x.sum = x.size+int64(len(b)), crc32.Update(x.sum, crc32.IEEETable, b)
	if anew {
		x.whole = x.size
	}
	return nil
}

// append adds the record of a folder: its path, how many entries it has and one
// more, and each of them.
func (h *holding) append(b []byte, dir string) []byte {
	b = binary.AppendUvarint(appendText(b, dir), uint64(len(h.at))+1)
	for i, e := range h.folder.entries {
		b = appendText(b, h.folder.names[i])
		b = binary.AppendUvarint(b, uint64(e.mode))
		for _, n := range []int64{e.size, e.mtime, e.ctime, h.at[i]} {
			b = binary.AppendVarint(b, n)
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, e.device), e.number)
		b = appendText(b, e.target)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// errIndex says that an index is not what its process wrote.
var errIndex = errors.New("the list of the project's files is damaged")

// readIndex reads the first bytes of an index, which have that checksum.
func readIndex(name string, size int64, sum uint32) (map[string]*holding, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size < 0 || info.Size() < size {
		return nil, errIndex
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	if crc32.ChecksumIEEE(data) != sum {
		return nil, errIndex
	}
	return parseIndex(data)
}

// parseIndex reads the records of an index.
func parseIndex(data []byte) (map[string]*holding, error) {
	held := map[string]*holding{}
	in := fields{data: data}
	for len(in.data) > 0 {
		dir, n := in.text(), in.number()
		if n == 0 {
			delete(held, dir)
			continue
		}
		if n-1 > uint64(len(in.data)) {
			return nil, errIndex // each takes more than a byte
		}
		h := &holding{folder: &folder{}}
		for range n - 1 {
			h.folder.names = append(h.folder.names, in.text())
			e := entry{mode: fs.FileMode(in.number())}
			e.size, e.mtime, e.ctime = in.signed(), in.signed(), in.signed()
			h.at = append(h.at, in.signed())
			e.device, e.number, e.target = in.number(), in.number(), in.text()
			h.folder.entries = append(h.folder.entries, e)
			h.folder.latest = max(h.folder.latest, e.ctime)
		}
		held[dir] = h
	}
	if in.failed {
		return nil, errIndex
	}
	return held, nil
}

// fields are values one behind the other; after the end they are blank.
type fields struct {
	data   []byte
	failed bool
}

func (f *fields) skip(n int) {
	if n <= 0 {
		f.failed, f.data = true, nil
		return
	}
	f.data = f.data[n:]
}

func (f *fields) number() uint64 {
	v, n := binary.Uvarint(f.data)
	f.skip(n)
	return v
}

func (f *fields) signed() int64 {
	v, n := binary.Varint(f.data)
	f.skip(n)
	return v
}

func (f *fields) text() string {
	n := f.number()
	if n > uint64(len(f.data)) {
		f.failed, f.data = true, nil
		return ""
	}
	s := string(f.data[:n])
	f.data = f.data[n:]
	return s
}
