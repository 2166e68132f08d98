package index

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// What a dead process has left half done is completed before anything is read. Where that
// fails, the next question tries again, though no file has changed.
func TestSettleBeforeEachLook(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const status = "PKG-01_A/1_Working/DEL-01-01_X/_STATUS.md"
	put(t, root, status, "**Current State:** OPEN\n")
	var busy atomic.Bool
	settle := func(_ context.Context, project string) error {
		if project != root {
			t.Errorf("settles %s", project)
		}
		if busy.Load() {
			return errors.New("somebody else is at work")
		}
		put(t, root, status, "**Current State:** INITIALIZED\n")
		return nil
	}
	s := newSet(t, Options{MaxWatches: watching, Settle: settle})
	for _, step := range []struct {
		busy bool
		want string
	}{{true, "DEL-01-01=open"}, {false, "DEL-01-01=initialized"}} {
		busy.Store(step.busy)
		now, err := s.Current(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		if got := states(now); got != step.want {
			t.Errorf("busy %v: %s, want %s", step.busy, got, step.want)
		}
	}
}
