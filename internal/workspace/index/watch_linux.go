package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// inotify is the kernel's own notification. A library in between would have to
// ask the disk what a path is, and could not say when everything that happened so
// far has been reported: both are here for a system call.
type inotify struct {
	root string
	file *os.File
	conn syscall.RawConn
	wake chan struct{}
	done chan struct{}

	mu      sync.Mutex
	buffer  []byte
	pending []event
	lost    bool
	paths   map[int32]string // by watch
	watches map[string]int32 // by path
}

const (
	interest = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_ATTRIB |
		unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	manner = unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW | unix.IN_EXCL_UNLINK
	// maxPending is how much is kept of what happened before somebody takes it.
	maxPending = 100_000
)

func newWatcher(root string) (watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	w := &inotify{
		root: root, file: os.NewFile(uintptr(fd), "inotify"), wake: make(chan struct{}, 1), done: make(chan struct{}),
		buffer: make([]byte, 64<<10), paths: map[int32]string{}, watches: map[string]int32{},
	}
	if w.conn, err = w.file.SyscallConn(); err != nil {
		return nil, errors.Join(err, w.file.Close())
	}
	go w.listen()
	return w, nil
}

// listen waits for the kernel until the file is closed.
func (w *inotify) listen() {
	defer close(w.done)
	_ = w.conn.Read(func(fd uintptr) bool { // ends with the file
		w.mu.Lock()
		defer w.mu.Unlock()
		w.drain(int(fd))
		if len(w.pending) > 0 || w.lost {
			select {
			case w.wake <- struct{}{}:
			default:
			}
		}
		return false // and wait again
	})
}

func (w *inotify) ready() <-chan struct{} { return w.wake }

func (w *inotify) take() ([]event, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.conn.Control(func(fd uintptr) { w.drain(int(fd)) }); err != nil {
		w.lost = true
	}
	happened, lost := w.pending, w.lost
	w.pending, w.lost = nil, false
	return happened, lost
}

// drain reads all that the kernel has. w.mu is held.
func (w *inotify) drain(fd int) {
	for {
		n, err := unix.Read(fd, w.buffer)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return
		case err != nil || n < unix.SizeofInotifyEvent:
			w.lost = true
			return
		default:
			w.parse(w.buffer[:n])
		}
	}
}

// parse reads events: the watch, what happened, a cookie and the length of the
// name in four bytes each, then the name and NULs. w.mu is held.
func (w *inotify) parse(raw []byte) {
	for len(raw) >= unix.SizeofInotifyEvent {
		watch := int32(binary.NativeEndian.Uint32(raw))
		mask := binary.NativeEndian.Uint32(raw[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(raw[12:]))
		if end > len(raw) {
			w.lost = true
			return
		}
		name, _, _ := bytes.Cut(raw[unix.SizeofInotifyEvent:end], []byte{0})
		w.note(watch, mask, string(name))
		raw = raw[end:]
	}
}

func (w *inotify) note(watch int32, mask uint32, name string) {
	path, known := w.paths[watch]
	switch {
	case mask&(unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT) != 0 || len(w.pending) >= maxPending:
		w.lost = true
		return
	case !known:
		return
	case mask&unix.IN_IGNORED != 0:
		delete(w.paths, watch)
		if w.watches[path] == watch {
			delete(w.watches, path)
		}
		return
	case name == "" && path != ".":
		// About the folder itself: the one above reports it too, with its name.
		if mask&unix.IN_ATTRIB == 0 {
			return
		}
	case name != "":
		path = join(path, name)
	}
	w.pending = append(w.pending, event{
		path: path, dir: name == "" || mask&unix.IN_ISDIR != 0,
		came: mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0,
		went: mask&(unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0,
	})
}

func (w *inotify) add(rel string) (first bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path, flags := w.root+"/"+rel, uint32(interest|manner)
	if rel == "." {
		flags &^= unix.IN_DONT_FOLLOW // a project may be named by a link to it
	}
	var watch int
	if e := w.conn.Control(func(fd uintptr) { watch, err = unix.InotifyAddWatch(int(fd), path, flags) }); e != nil {
		return false, e
	}
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return false, errGone
	case err != nil:
		return false, fmt.Errorf("watch %s: %w", rel, err)
	}
	// A folder that was moved keeps its watch and has another path; one that has
	// the path of another has a watch of its own.
	if other, ok := w.watches[rel]; ok && other != int32(watch) {
		w.forget(other)
	}
	old, known := w.paths[int32(watch)]
	if known && old != rel {
		delete(w.watches, old)
	}
	w.paths[int32(watch)], w.watches[rel] = rel, int32(watch)
	return !known || old != rel, nil
}

func (w *inotify) remove(rel string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if watch, ok := w.watches[rel]; ok {
		delete(w.watches, rel)
		w.forget(watch)
	}
}

// forget ends a watch. w.mu is held.
func (w *inotify) forget(watch int32) {
	delete(w.paths, watch)
	_ = w.conn.Control(func(fd uintptr) {
		_, _ = unix.InotifyRmWatch(int(fd), uint32(watch)) // gone with its folder, most often
	})
}

func (w *inotify) close() error {
	err := w.file.Close()
	<-w.done
	return err
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}
