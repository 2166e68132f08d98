//go:build unix && !linux

package durable

import (
	"errors"
	"syscall"
)

// acrossFileSystems reports whether a rename failed because its two names are on
// different file systems.
func acrossFileSystems(err error) bool { return errors.Is(err, syscall.EXDEV) }
