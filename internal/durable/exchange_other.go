//go:build !linux

package durable

import (
	"errors"
	"io/fs"
	"os"
)

// Exchange lets two files change places in one step; only Linux offers that, so
// it is always [errors.ErrUnsupported] here.
func Exchange(root *os.Root, a, b string) error {
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: errors.ErrUnsupported}
}

// RenameNew gives a file or folder another name, which nothing may have yet
// ([io/fs.ErrExist]). Another process that takes the name between the look and
// the rename is overwritten: only Linux does both in one step.
func RenameNew(root *os.Root, from, to string) error {
	if _, err := root.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return Rename(root, from, to)
}
