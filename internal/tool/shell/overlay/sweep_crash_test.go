//go:build crashtest && linux

package overlay_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"belay/internal/durable"
	"belay/internal/tool/shell/overlay"
)

// A command gets its upper directory also while an old one cannot be removed. The hook is one
// for the process: the test does not run in parallel.
func TestMakeBesideOneThatStays(t *testing.T) {
	p := newPlace(t)
	old := filepath.Join(p.project, ".belay/tmp/ABC")
	must(t, os.MkdirAll(old, 0o700))
	defer durable.SetHook(nil)
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if op.Verb == durable.OpRemoveAll && op.Path == old {
			return syscall.EIO
		}
		return nil
	}})
	upper, err := overlay.Make(p.root)
	must(t, err)
	must(t, upper.Remove())
	if overlay.Sweep(p.root) == nil {
		t.Error("the old one could be removed")
	}
	durable.SetHook(nil)
	must(t, overlay.Sweep(p.root))
	if _, err := os.Lstat(old); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}
