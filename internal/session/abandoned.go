package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
)

// Died reports whether the session's lock names a turn that no process runs, as
// [Store.Abandoned] lists them.
func (s *Store) Died(id string) bool {
	if !ValidID(id) {
		return false
	}
	if _, held := s.runningHere(id); held {
		return false
	}
	n, ok := s.peekNote(id)
	return ok && n.Turn != "" && !durable.Locked(s.lockPath(id))
}

// Abandoned lists the sessions whose lock names a turn that no process runs: it
// died in the middle. A session counts until its lease is taken next.
func (s *Store) Abandoned(ctx context.Context) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.o.StateDir, dirLocks))
	if err != nil {
		return nil, fmt.Errorf("look for abandoned turns: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		id, ok := strings.CutSuffix(e.Name(), ".lock")
		if !ok || !ValidID(id) {
			continue
		}
		if n, ok := s.peekNote(id); ok && n.Turn != "" && !durable.Locked(s.lockPath(id)) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
