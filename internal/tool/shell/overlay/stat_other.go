//go:build !linux

package overlay

import (
	"io/fs"
	"os"
	"time"
)

// There are no overlays on other systems.

func changed(info fs.FileInfo) time.Time { return info.ModTime() }

func whiteout(fs.FileInfo) bool { return false }

func opaque(*os.File) (bool, error) { return false, nil }

func copied(*os.File) bool { return false }

func copyOfAnother(_, _ *os.File) (is, known bool) { return false, false }

func keepsAttributes(*os.File) bool { return false }
