//go:build crashtest

package scaffold_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/scaffold"
)

// These tests see every operation on files by the hook of package durable, which
// is one for the process: they do not run in parallel.

var errDead = errors.New("the process is dead")

// A run that completes the work of one that was killed flushes every folder that
// has something in it, whichever of the two made that.
func TestFlushesWhatAKilledRunMade(t *testing.T) {
	defer durable.SetHook(nil)
	r := scaffold.Request{DecompositionPath: paper(t, bridge)}
	for at, over := 1, false; !over; at += 5 {
		above := t.TempDir()
		r.ExecutionRoot = filepath.Join(above, "new", "root")
		n := 0
		durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
			if n++; n > at {
				return errDead
			}
			if op.Verb == durable.OpFlush || op.Verb == durable.OpFlushDir {
				return durable.ErrSkipped
			}
			return nil
		}})
		_, err := scaffold.Run(context.Background(), r, options(t))
		over = err == nil
		flushed := map[string]bool{}
		durable.SetHook(&durable.Hook{After: func(op durable.Op) {
			if op.Verb == durable.OpFlushDir {
				flushed[op.Path] = true
			}
		}})
		run(t, r, options(t))
		durable.SetHook(nil)
		must(t, filepath.WalkDir(above, func(path string, _ fs.DirEntry, err error) error {
			if path != above && !flushed[filepath.Dir(path)] {
				t.Errorf("killed after %d operations: the name of %s was not flushed", at, strings.TrimPrefix(path, above))
			}
			return err
		}))
		if t.Failed() {
			return
		}
	}
}

// Where the last flush fails, the error says that things are made.
func TestUnflushedIsToldAsMade(t *testing.T) {
	defer durable.SetHook(nil)
	root := filepath.Join(t.TempDir(), "refused")
	durable.RefuseFolders("refused")
	_, err := scaffold.Run(context.Background(), scaffold.Request{ExecutionRoot: root, DecompositionPath: paper(t, bridge)}, options(t))
	durable.SetHook(nil)
	if !fault.Is(err, fault.StorageFailure) || !errors.Is(err, durable.ErrUnflushed) || !strings.Contains(err.Error(), "is made") {
		t.Errorf("the run ended with %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "INIT.md")); err != nil {
		t.Error(err)
	}
}
