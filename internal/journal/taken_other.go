//go:build !linux

package journal

import (
	"io/fs"
	"os"
)

// Only on Linux contents are taken that something else has made.

func untouched(_, _ fs.FileInfo) bool { return false }

func alone(*os.File) bool { return true }

func strip(*os.File) bool { return true }
