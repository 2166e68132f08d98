package quota

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// maxDepth is how deep folders are counted. Each level keeps a file open.
	maxDepth = 200
	// batch is how many entries of a folder are read at once.
	batch = 500
	// blockBytes is the unit in which the system tells the space that a file takes.
	blockBytes = 512
)

// freeSpace is how much an ordinary user may still write to the disk of a folder.
func freeSpace(path string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail * uint64(s.Bsize)), true
}

// count counts what a folder holds now, while a command changes it: what vanishes
// meanwhile is left out. It ends early with ctx.
func count(ctx context.Context, path string, began time.Time) held {
	c := &counter{ctx: ctx, began: began, linked: map[file]bool{}}
	c.enter(unix.AT_FDCWD, path, 0)
	return c.held
}

// counter adds up what a folder holds.
type counter struct {
	held
	ctx   context.Context
	began time.Time
	// linked are the files that have several names and were counted.
	linked map[file]bool
}

// file is a file of the system.
type file struct {
	major, minor uint32
	inode        uint64
}

// enter counts what is in a folder.
func (c *counter) enter(at int, name string, depth int) {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		c.closed = c.closed || !gone(err)
		return
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	for c.ctx.Err() == nil {
		names, err := dir.Readdirnames(batch)
		for _, name := range names {
			c.entry(fd, name, depth)
		}
		if err != nil {
			c.closed = c.closed || err != io.EOF && !gone(err)
			return
		}
	}
}

// entry counts an entry of a folder.
func (c *counter) entry(at int, name string, depth int) {
	const wanted = unix.STATX_TYPE | unix.STATX_NLINK | unix.STATX_INO | unix.STATX_BLOCKS | unix.STATX_CTIME | unix.STATX_BTIME
	var s unix.Statx_t
	if err := unix.Statx(at, name, unix.AT_SYMLINK_NOFOLLOW, wanted, &s); err != nil {
		c.closed = c.closed || !gone(err)
		return
	}
	isFolder := s.Mode&unix.S_IFMT == unix.S_IFDIR
	if s.Nlink > 1 && !isFolder {
		id := file{s.Dev_major, s.Dev_minor, s.Ino}
		if c.linked[id] {
			return
		}
		c.linked[id] = true
	}
	made := s.Ctime // not every file system knows when a file was made
	if s.Mask&unix.STATX_BTIME != 0 {
		made = s.Btime
	}
	bytes := int64(s.Blocks) * blockBytes
	if time.Unix(made.Sec, int64(made.Nsec)).Before(c.began) {
		c.older += bytes
	} else {
		c.newer += bytes
	}
	switch {
	case !isFolder:
	case depth == maxDepth:
		c.closed = true
	default:
		c.enter(at, name, depth+1)
	}
}

// gone reports whether something is no longer there, or is no longer a folder.
func gone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}
