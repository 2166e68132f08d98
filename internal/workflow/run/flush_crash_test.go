//go:build crashtest

package run

import (
	"strings"
	"sync/atomic"
	"testing"

	"belay/internal/durable"
	"belay/internal/fault"
)

// A record of a large collection is on disk only if the name of its file is. Where that could
// not be flushed, the next record tries again. The hook is global to the process, so the test
// does not run in parallel.
func TestUnflushedMembers(t *testing.T) {
	defer durable.SetHook(nil)
	f, err := makeFolder(t.TempDir(), "run_1")
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	var m members
	put := func() error {
		return m.put(t.Context(), f, &Task{Key: "each/0/it", ID: "it", Status: Success}, true)
	}
	durable.RefuseFolders("run_1")
	if err := put(); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("a folder that cannot be flushed: %v", err)
	}
	var flushed atomic.Int64
	durable.SetHook(&durable.Hook{After: func(op durable.Op) {
		if op.Verb == durable.OpFlushDir && strings.Contains(op.Path, "run_1") {
			flushed.Add(1)
		}
	}})
	for range 2 {
		if err := put(); err != nil {
			t.Error(err)
		}
	}
	if n := flushed.Load(); n != 1 {
		t.Errorf("the folder was flushed %d times", n)
	}
	durable.SetHook(nil)
	if err := m.close(); err != nil {
		t.Error(err)
	}
	if all, err := f.members(nil); err != nil || len(all) != 1 {
		t.Errorf("on record: %v, %v", all, err)
	}
}
