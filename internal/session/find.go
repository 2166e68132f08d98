package session

import (
	"context"
	"slices"
	"strings"

	"belay/internal/fault"
)

// MinPrefix is how many characters of a session's id are enough to look for it,
// MaxFound how many sessions [Store.Find] returns.
const (
	MinPrefix = 4
	MaxFound  = 20
)

// Find returns the sessions whose id begins with prefix, in the order of their
// ids, the first [MaxFound] at most. It finds those that the index knows and those
// of the caller's own project. A prefix that is shorter than [MinPrefix], or of which no id can begin, is
// INVALID_REQUEST.
func (s *Store) Find(ctx context.Context, prefix string) ([]Record, error) {
	return s.Catalog().FindIn(ctx, prefix, func(string) bool { return true })
}

// FindIn is [Store.Find] in the projects that are allowed. Sessions elsewhere take no place among
// the first: nobody could see those behind them.
func (c Catalog) FindIn(ctx context.Context, prefix string, allowed func(projectRoot string) bool) ([]Record, error) {
	s := c.store
	if len(prefix) < MinPrefix || !ValidID(prefix) {
		return nil, fault.New(fault.InvalidRequest, "prefix must be the first characters of a session's id, at least %d", MinPrefix).
			With("field", "prefix")
	}
	ids, err := s.IDs(ctx)
	if err != nil {
		return nil, err
	}
	if s.o.HomeProject != "" && s.o.SessionRoot == "" {
		home, err := s.paths.folders(s.o.HomeProject)
		if err != nil {
			return nil, storage("the project's sessions cannot be listed", err)
		}
		ids = append(ids, home...)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, prefix) })
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var found []Record
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := s.Get(ctx, id)
		switch {
		case Unusable(err) || err == nil && !allowed(rec.ProjectRoot):
			continue
		case err != nil:
			return nil, err
		}
		if found = append(found, rec); len(found) == MaxFound {
			break
		}
	}
	return found, nil
}
