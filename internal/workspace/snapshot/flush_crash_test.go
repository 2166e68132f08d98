//go:build crashtest

package snapshot

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/fault"
)

// Where the flush of the pointer fails, nobody learns that it does not point to the
// snapshot. The hook is one for the process: the test does not run in parallel.
func TestUnflushedIsToldAsMade(t *testing.T) {
	defer durable.SetHook(nil)
	target, o := project(t, map[string]string{"summary.md": "sum"}), options(t)
	tools := filepath.Join(target.Root, target.ToolRoot)
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if op.Verb == durable.OpFlushDir && op.Path == tools {
			return os.ErrDeadlineExceeded
		}
		return nil
	}})
	s, err := Publish(context.Background(), target, o, Copy(context.Background(), target, o, ""))
	if !fault.Is(err, fault.StorageFailure) || !errors.Is(err, durable.ErrUnflushed) || !strings.Contains(err.Error(), "is published, but the disk") {
		t.Errorf("it ended with %v", err)
	}
	text, err := os.ReadFile(s.Pointer)
	if err != nil || !strings.Contains(string(text), s.Name) {
		t.Errorf("the pointer says %q, %v", text, err)
	}
}
