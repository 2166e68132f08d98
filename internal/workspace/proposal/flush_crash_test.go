//go:build crashtest

package proposal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/durable"
	"belay/internal/fault"
)

// A proposal that could not be kept is not there, and one that is closed is not said
// to be open. The hook is one for the process: the test does not run in parallel.
func TestUnflushed(t *testing.T) {
	defer durable.SetHook(nil)
	p := newProject(t, Options{})
	n := 0
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if op.Verb == durable.OpFlushDir && filepath.Base(op.Path) == "proposals" {
			if n++; n == 2 { // that of the record
				return os.ErrDeadlineExceeded
			}
		}
		return nil
	}})
	_, err := p.store.Add(t.Context(), p.d, Request{Content: rows(1)})
	durable.SetHook(nil)
	list, e := p.store.List(t.Context(), p.root, true)
	if !fault.Is(err, fault.StorageFailure) || e != nil || len(list) != 0 || n != 2 {
		t.Errorf("it ended with %v; there are %+v, %v; %d flushes", err, list, e, n)
	}
	kept := p.add(t, Request{Content: rows(1)})
	durable.RefuseFolders("proposals")
	_, err = p.store.Dismiss(t.Context(), p.root, kept.ID, "me")
	durable.SetHook(nil)
	if !errors.Is(err, durable.ErrUnflushed) || !strings.Contains(err.Error(), "the proposal is closed") {
		t.Errorf("it ended with %v", err)
	}
	if list, err := p.store.List(t.Context(), p.root, false); err != nil || len(list) != 0 {
		t.Errorf("open are %+v, %v", list, err)
	}
}
