//go:build !linux

package durable

import (
	"errors"
	"io/fs"
	"os"
)

// dataSync flushes the file; only Linux offers a cheaper way through syscall.
func dataSync(f *os.File) error { return f.Sync() }

// Exchange lets two files or folders change places in one step; only Linux offers
// that, so it is always [errors.ErrUnsupported] here.
func Exchange(a, b Entry) error {
	return &os.LinkError{Op: "exchange", Old: a.Name, New: b.Name, Err: errors.ErrUnsupported}
}

// RenameNew gives a file or folder another name, which nothing may have yet
// ([io/fs.ErrExist]). Another process that takes the name between the look and
// the rename is overwritten: only Linux does both in one step. Between file
// systems it fails with [errors.ErrUnsupported].
func RenameNew(from, to Entry) error {
	if _, err := to.Folder.Lstat(to.Name); err == nil {
		return &os.LinkError{Op: "rename", Old: from.Name, New: to.Name, Err: fs.ErrExist}
	}
	err := do(Op{Verb: OpRename, Path: from.path(), To: to.path()}, func() error { return os.Rename(from.path(), to.path()) })
	if err != nil && acrossFileSystems(err) {
		err = errors.Join(errors.ErrUnsupported, err)
	}
	return err
}

// Other systems have no such flush.

// FlushesAtOnce is false.
func FlushesAtOnce(*os.Root, int) bool { return false }

// FlushAll fails with [errors.ErrUnsupported].
func FlushAll(*os.Root) error { return errors.ErrUnsupported }
