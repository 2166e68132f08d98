//go:build !linux

package view

import (
	"os"
	"runtime"
	"testing"
)

func asNobody(t *testing.T, f func()) {
	t.Helper()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("skipped: permission bits do not bind this user")
	}
	f()
}
