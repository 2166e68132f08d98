package durable

import (
	"errors"

	"golang.org/x/sys/windows"
)

// acrossFileSystems reports whether a rename failed because its two names are on
// different file systems.
func acrossFileSystems(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }
