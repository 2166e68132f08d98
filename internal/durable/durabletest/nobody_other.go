//go:build !linux

// Package durabletest helps tests of files.
package durabletest

import (
	"os"
	"runtime"
	"testing"
)

// AsNobody runs f where permission bits bind this user, and skips the test where they do not.
func AsNobody(t *testing.T, f func()) {
	t.Helper()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("skipped: permission bits do not bind this user")
	}
	f()
}
