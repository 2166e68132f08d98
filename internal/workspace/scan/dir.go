package scan

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// dir is an open folder. Whoever opens one closes it. Names are single parts of a
// path. The portable implementation is [rooted]; where a system has a quicker
// one, openDir returns that.
type dir interface {
	// enter opens a folder in this one, never through a link.
	enter(name string) (dir, error)
	// each calls see with every entry. The name is valid during the call only.
	// Scratch is memory that each may use.
	each(scratch []byte, see func(name []byte, kind kind)) error
	// content reads a regular file, never through a link and never waiting on a
	// pipe, into buf, which it lets grow to most bytes; what is beyond is left out.
	content(name string, buf []byte, most int) ([]byte, error)
	// stat tells the size and the time of the last change of a file, in
	// nanoseconds; both are 0 where it is gone.
	stat(name string) (size, modified int64)
	close()
}

// kind is what an entry of a folder is.
type kind byte

const (
	other kind = iota // a device, a pipe, a socket
	folder
	file
	link
)

// rooted is a folder as package os has it. An os.Root follows links that stay
// inside it, so every name is looked at before and after.
type rooted struct{ root *os.Root }

func openRooted(path string) (dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return rooted{root}, nil
}

var errNotIt = errors.New("is something else by now")

func (d rooted) enter(name string) (dir, error) {
	before, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, errNotIt
	}
	next, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if after, err := next.Stat("."); err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(errNotIt, err, next.Close())
	}
	return rooted{next}, nil
}

func (d rooted) each(_ []byte, see func([]byte, kind)) error {
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

func kindOf(mode fs.FileMode) kind {
	switch {
	case mode.IsDir():
		return folder
	case mode.IsRegular():
		return file
	case mode&fs.ModeSymlink != 0:
		return link
	}
	return other
}

func (d rooted) content(name string, buf []byte, most int) ([]byte, error) {
	before, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errNotIt
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(errNotIt, err)
	}
	return readInto(f, buf, most)
}

func (d rooted) stat(name string) (size, modified int64) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return 0, 0
	}
	return info.Size(), info.ModTime().UnixNano()
}

func (d rooted) close() { _ = d.root.Close() } // it was only read

// readInto reads r to its end or to most bytes into buf, growing it.
func readInto(r io.Reader, buf []byte, most int) ([]byte, error) {
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), most)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF), err == nil && len(buf) >= most:
			return buf, nil
		case err != nil:
			return nil, err
		}
	}
}
