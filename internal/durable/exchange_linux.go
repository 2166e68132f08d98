package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Exchange lets two files or folders change places in one step. Both must be
// there. It fails with [errors.ErrUnsupported] where the file system cannot do
// that, and where the two lie on different ones.
func Exchange(a, b Entry) error {
	return do(Op{Verb: OpExchange, Path: a.path(), To: b.path()}, func() error {
		return renameat2(a, b, unix.RENAME_EXCHANGE)
	})
}

// RenameNew gives a file or folder another name, which nothing may have yet
// ([io/fs.ErrExist]). It fails with [errors.ErrUnsupported] as [Exchange] does.
func RenameNew(from, to Entry) error {
	return do(Op{Verb: OpRename, Path: from.path(), To: to.path()}, func() error {
		return renameat2(from, to, unix.RENAME_NOREPLACE)
	})
}

// renameat2 works on the open folders, so that no link leads out of them.
func renameat2(a, b Entry, flags uint) error {
	from, to := a.dir, b.dir
	var err error
	if from == nil {
		if from, err = openSelf(a.Folder); err != nil {
			return err
		}
		defer from.Close()
	}
	if to == nil {
		if to, err = openSelf(b.Folder); err != nil {
			return err
		}
		defer to.Close()
	}
	for {
		err = unix.Renameat2(int(from.Fd()), a.Name, int(to.Fd()), b.Name, flags)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EXDEV):
		err = errors.Join(errors.ErrUnsupported, err)
	}
	return &os.LinkError{Op: "rename", Old: a.Name, New: b.Name, Err: err}
}
