//go:build unix

package files

import (
	"io"

	"golang.org/x/sys/unix"

	"belay/internal/durable"
)

// raw is an open file without the bookkeeping of os.File: a search opens ten
// thousand of them.
type raw int

// open opens a regular file of the folder: no link is followed, no pipe waited
// for. It also returns the size.
func (h *handle) open(name string) (raw, int64, error) {
	var fd int
	err := again(func() (err error) {
		fd, err = unix.Openat(int(h.dir.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return -1, 0, err
	}
	var st unix.Stat_t
	if err := again(func() error { return unix.Fstat(fd, &st) }); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		_ = unix.Close(fd) // nothing was read
		if err == nil {
			err = durable.ErrNotRegular
		}
		return -1, 0, err
	}
	return raw(fd), st.Size, nil
}

// Read implements io.Reader.
func (f raw) Read(p []byte) (n int, err error) {
	err = again(func() (err error) { n, err = unix.Read(int(f), p); return err })
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// Close implements io.Closer.
func (f raw) Close() error { return unix.Close(int(f)) }

// again repeats a call that a signal cut short.
func again(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
