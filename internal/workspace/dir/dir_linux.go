package dir

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// bare is a folder as a bare descriptor, without the bookkeeping of an os.File.
type bare int

// Open opens a folder by its path, which may have links.
func Open(path string) (Dir, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return bare(fd), nil
}

// Enter implements [Dir].
func (d bare) Enter(name string) (Dir, error) {
	fd, err := d.open(name, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return bare(fd), nil
}

func (d bare) open(name string, flags int) (fd int, err error) {
	err = again(func() error {
		fd, err = unix.Openat(int(d), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK|flags, 0)
		return err
	})
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return fd, nil
}

// Each implements [Dir]. It reads linux_dirent64 records: inode and offset in 8
// bytes each, the record's length in 2, the type in 1, the name and a NUL.
func (d bare) Each(scratch []byte, see func([]byte, Kind)) error {
	const header = 19
	for {
		var n int
		err := again(func() (err error) { n, err = unix.Getdents(int(d), scratch); return err })
		if err != nil {
			return os.NewSyscallError("getdents", err)
		}
		if n <= 0 {
			return nil
		}
		for rest := scratch[:n]; len(rest) > header; {
			size := int(binary.NativeEndian.Uint16(rest[16:]))
			if size <= header || size > len(rest) {
				break
			}
			name, _, _ := bytes.Cut(rest[header:size], []byte{0})
			if string(name) != "." && string(name) != ".." {
				see(name, d.typeOf(name, rest[18]))
			}
			rest = rest[size:]
		}
	}
}

// typeOf is what an entry is. Some file systems do not say it in the folder.
func (d bare) typeOf(name []byte, t byte) Kind {
	if t == unix.DT_UNKNOWN {
		kind, _, _ := d.Stat(string(name))
		return kind
	}
	return kindFrom(t)
}

func kindFrom(t byte) Kind {
	switch t {
	case unix.DT_DIR:
		return Folder
	case unix.DT_REG:
		return File
	case unix.DT_LNK:
		return Link
	}
	return Other
}

// Read implements [Dir].
func (d bare) Read(name string, buf []byte, most int) ([]byte, error) {
	fd, err := d.open(name, 0)
	if err != nil {
		return nil, err
	}
	f := bareFile(fd)
	defer f.close()
	var st unix.Stat_t
	if err := again(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return nil, os.NewSyscallError("fstat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, ErrNotIt
	}
	return readInto(f, st.Size, buf, most)
}

// Stat implements [Dir].
func (d bare) Stat(name string) (kind Kind, size, modified int64) {
	var st unix.Stat_t
	if again(func() error { return unix.Fstatat(int(d), name, &st, unix.AT_SYMLINK_NOFOLLOW) }) != nil {
		return Missing, 0, 0
	}
	return kindFrom(byte(st.Mode & unix.S_IFMT >> 12)), st.Size, st.Mtim.Nano()
}

// Close implements [Dir].
func (d bare) Close() { bareFile(d).close() }

// bareFile is an open descriptor.
type bareFile int

// Read implements io.Reader.
func (f bareFile) Read(p []byte) (n int, err error) {
	err = again(func() (err error) { n, err = unix.Read(int(f), p); return err })
	switch {
	case err != nil:
		return 0, os.NewSyscallError("read", err)
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f bareFile) close() { _ = unix.Close(int(f)) } // it was only read

// again repeats a call that a signal cut short.
func again(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
