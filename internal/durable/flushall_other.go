//go:build !linux

package durable

import (
	"errors"
	"os"
)

// Other systems have no such flush.

// FlushesAtOnce is false.
func FlushesAtOnce(*os.Root, int) bool { return false }

// FlushAll fails with [errors.ErrUnsupported].
func FlushAll(*os.Root) error { return errors.ErrUnsupported }
