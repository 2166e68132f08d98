package durable

import (
	"bytes"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// manyFlushes is how many flushes are many.
const manyFlushes = 64

// quickEach is how many bytes may wait to be written, for each file that is to be flushed,
// where all at once is quicker than one after the other. Flushing a file takes about as
// long as writing so much.
const quickEach = 64 << 10

// wholeSystems are the file systems whose flush as a whole is that of each file in them.
// Others, such as those of FUSE, may keep contents somewhere else.
var wholeSystems = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC}

// FlushesAtOnce reports whether n files on the file system of a folder are flushed sooner
// by [FlushAll] than one by one. Never under a test's hook, which is to see each flush.
func FlushesAtOnce(folder *os.Root, n int) bool {
	if n < manyFlushes || inOrder() {
		return false
	}
	f, err := openSelf(folder)
	if err != nil {
		return false
	}
	defer f.Close()
	var is unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &is) != nil || !slices.Contains(wholeSystems, int64(is.Type)) { //nolint:unconvert // its type differs between processors
		return false
	}
	waiting, ok := unwritten()
	return ok && waiting <= int64(n)*quickEach
}

// FlushAll makes durable what is on the file system of a folder: every content and every
// name. An error may be that of any file.
func FlushAll(folder *os.Root) error {
	f, err := openSelf(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return &os.PathError{Op: "syncfs", Path: folder.Name(), Err: err}
	}
	return nil
}

// unwritten is how many bytes wait to be written to any disk.
func unwritten() (n int64, ok bool) {
	table, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(table) {
		if f := bytes.Fields(line); len(f) == 3 && (string(f[0]) == "Dirty:" || string(f[0]) == "Writeback:") {
			kib, err := strconv.ParseInt(string(f[1]), 10, 64)
			if err != nil {
				return 0, false
			}
			n, ok = n+kib<<10, true
		}
	}
	return n, ok
}
