//go:build crashtest

package session

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/fault"
)

// What fails at its last flush is not there afterwards. The hook is one for the
// process: these tests do not run in parallel.
func TestUnflushedLeavesNothing(t *testing.T) {
	defer durable.SetHook(nil)
	from, w := newWorld(t), newWorld(t)
	rec := from.session()
	turn(t, from.Store, rec.SessionID, "t1", 2)
	var file bytes.Buffer
	export(t, from.Store, rec.SessionID, &file)

	durable.RefuseFolders(w.project)
	_, err := w.Archive.Import(t.Context(), &file, w.project)
	if !fault.Is(err, fault.StorageFailure) {
		t.Errorf("an import: %v", err)
	}
	path, err := w.SaveUpload(t.Context(), w.project, "f", strings.NewReader("x"), 10)
	if !fault.Is(err, fault.StorageFailure) {
		t.Errorf("an upload: %s, %v", path, err)
	}
	durable.SetHook(nil)
	for _, dir := range []string{"sessions", "uploads"} {
		left, err := os.ReadDir(filepath.Join(w.project, ".belay", dir))
		if err != nil || len(left) != 0 {
			t.Errorf("left in %s: %v, %v", dir, left, err)
		}
	}
}

// An input that could not be kept does not reach the turn.
func TestUnflushedInputIsTakenBack(t *testing.T) {
	defer durable.SetHook(nil)
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.Begin("t1"))
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if op.Verb == durable.OpFlushDir && filepath.Base(op.Path) == id && op.File == durable.SteerInput {
			return os.ErrDeadlineExceeded
		}
		return nil
	}})
	err := w.Signals.SendInput(id, Input{Message: "left", Mode: Steer})
	durable.SetHook(nil)
	if !fault.Is(err, fault.StorageFailure) {
		t.Errorf("it ended with %v", err)
	}
	if names, err := w.Signals.inputNames(id); err != nil || len(names) != 0 {
		t.Errorf("inputs: %v, %v", names, err)
	}
	must(t, l.Release())
}
