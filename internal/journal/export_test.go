package journal

import (
	"errors"
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
