// Package dir opens folders and files below one folder, each through the one above
// it, and never follows a link. It is how tens of thousands of them are looked at:
// [Open] returns the quickest way that the system has, [OpenPortable] the one that
// every system has.
//
// What changes while somebody looks is an error that [Gone] reports, never
// something outside of the folder.
package dir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Dir is an open folder. Anyone who opened it closes it. Names are single parts of a
// path. It is safe for concurrent use.
type Dir interface {
	// Enter opens a folder in this one.
	Enter(name string) (Dir, error)
	// Each calls see with every entry. The name is valid during the call only.
	// Scratch is memory that Each may use, of a few KiB at least.
	Each(scratch []byte, see func(name []byte, kind Kind)) error
	// Read reads a regular file, never waiting on a pipe, into buf, which it lets
	// grow to most bytes; what is beyond is left out.
	Read(name string, buf []byte, most int) ([]byte, error)
	// Stat reports what an entry is, its size and the time of its last change in
	// nanoseconds; [Missing] where there is none.
	Stat(name string) (kind Kind, size, modified int64)
	Close()
}

// Kind is what an entry of a folder is.
type Kind byte

// The kinds.
const (
	Missing Kind = iota
	Other        // a device, a pipe, a socket
	Folder
	File
	Link
)

// ErrNotIt is of an entry that is not of the kind that was asked for.
var ErrNotIt = errors.New("is something else")

// Gone reports an error of an entry that is not there any more, or is something
// else by now.
func Gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotIt) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// Reason is what an error says of a file, without the names of this machine.
func Reason(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return err.Error()
}

// Descend opens a folder by its path below another one, with slashes, never through a
// link. The path has one part at least.
func Descend(d Dir, rel string) (Dir, error) {
	at := d
	for name := range strings.SplitSeq(rel, "/") {
		next, err := at.Enter(name)
		if at != d {
			at.Close()
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// rooted is a folder as package os has it. An os.Root follows links that stay
// inside it, so every name is looked at before and after.
type rooted struct{ root *os.Root }

// OpenPortable opens a folder by its path, which may have links.
func OpenPortable(path string) (Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return rooted{root}, nil
}

// Enter implements [Dir].
func (d rooted) Enter(name string) (Dir, error) {
	before, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, ErrNotIt
	}
	next, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if after, err := next.Stat("."); err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(ErrNotIt, err, next.Close())
	}
	return rooted{next}, nil
}

// Each implements [Dir].
func (d rooted) Each(_ []byte, see func([]byte, Kind)) error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(1024)
		for _, e := range entries {
			see([]byte(e.Name()), kindOf(e.Type()))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsDir():
		return Folder
	case mode.IsRegular():
		return File
	case mode&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}

// Read implements [Dir].
func (d rooted) Read(name string, buf []byte, most int) ([]byte, error) {
	before, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, ErrNotIt
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(ErrNotIt, err)
	}
	return readInto(f, before.Size(), buf, most)
}

// Stat implements [Dir].
func (d rooted) Stat(name string) (kind Kind, size, modified int64) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return Missing, 0, 0
	}
	return kindOf(info.Mode()), info.Size(), info.ModTime().UnixNano()
}

// Close implements [Dir].
func (d rooted) Close() { _ = d.root.Close() } // it was only read

// readInto reads r, which should have size bytes, to its end or to most bytes into
// buf, growing it.
func readInto(r io.Reader, size int64, buf []byte, most int) ([]byte, error) {
	buf = buf[:0]
	if want := int(min(size, int64(most))) + 1; cap(buf) < want {
		buf = make([]byte, 0, want)
	}
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := buf[len(buf):max(len(buf), min(cap(buf), most))]
		n, err := r.Read(room)
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF), err == nil && len(buf) >= most:
			return buf, nil
		case err == nil && 0 < n && n < len(room) && int64(len(buf)) == size:
			return buf, nil // all that it had when it was opened, and no more came
		case err != nil:
			return nil, err
		}
	}
}
