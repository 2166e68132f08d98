package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"belay/internal/durable"
)

// WithoutExchange makes a store work as on a file system that cannot exchange
// files.
func WithoutExchange(s *Store) {
	s.exchange = func(a, b durable.Entry) error { return errors.ErrUnsupported }
}

// AcrossFileSystems makes a store work as if the journal were on another file
// system than every file of the project.
func AcrossFileSystems(s *Store) {
	WithoutExchange(s)
	s.renameNew = func(a, b durable.Entry) error {
		if filepath.Clean(a.Folder.Name()) != filepath.Clean(b.Folder.Name()) {
			return errors.ErrUnsupported
		}
		return durable.RenameNew(a, b)
	}
}

// RefusingNames makes a store work where the system refuses to give a file another name.
func RefusingNames(s *Store) {
	s.renameNew = func(a, b durable.Entry) error {
		return &os.LinkError{Op: "rename", Old: a.Name, New: b.Name, Err: fs.ErrPermission}
	}
}

// FlushingAtOnce makes a store flush at once, however few files there are, by f.
func FlushingAtOnce(s *Store, f func() error) {
	s.flushesAtOnce = func(*os.Root, int) bool { return true }
	s.flushAll = func(*os.Root) error { return f() }
}

// ApplyFirst makes the first n changes of a prepared transaction, as a process does
// that dies then. With n < 0 it dies before the intent is on disk.
func (tx *Tx) ApplyFirst(n int) error {
	if n < 0 {
		return tx.close()
	}
	if err := tx.intend(); err != nil {
		return err
	}
	for i := range min(n, len(tx.rec.Changes)) {
		if err := tx.do(i); err != nil {
			return err
		}
	}
	return tx.close()
}

// ID is the transaction's.
func (tx *Tx) ID() string { return tx.rec.ID }
