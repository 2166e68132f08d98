package durable

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// Exchange lets two files or folders under root change places in one step. Both
// must be there. It fails with [errors.ErrUnsupported] where the file system
// cannot do that.
func Exchange(root *os.Root, a, b string) error {
	return do(Op{Verb: OpExchange, Path: at(root, a), To: at(root, b)}, func() error {
		return renameat2(root, a, b, unix.RENAME_EXCHANGE)
	})
}

// RenameNew gives a file or folder another name, which nothing may have yet
// ([io/fs.ErrExist]).
func RenameNew(root *os.Root, from, to string) error {
	return do(Op{Verb: OpRename, Path: at(root, from), To: at(root, to)}, func() error {
		return renameat2(root, from, to, unix.RENAME_NOREPLACE)
	})
}

// renameat2 opens both folders under root, so that no link leads out of it.
func renameat2(root *os.Root, a, b string, flags uint) error {
	from, err := root.Open(path.Dir(a))
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := root.Open(path.Dir(b))
	if err != nil {
		return err
	}
	defer to.Close()
	for {
		err = unix.Renameat2(int(from.Fd()), path.Base(a), int(to.Fd()), path.Base(b), flags)
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
	return &os.LinkError{Op: "rename", Old: a, New: b, Err: err}
}
