package session

import (
	"context"
	"fmt"
	"time"
)

// Fork makes a new session in the project of another one, whose transcript begins
// with entries; origin says where they come from. It has that one's persona, mode
// and model, an id and an empty log of its own, and shares the project's blobs. It
// is durable when Fork returns, and the other session is not touched.
func (s *Store) Fork(ctx context.Context, origin Origin, entries []Entry) (Record, error) {
	from, err := s.Get(ctx, origin.SessionID)
	if err != nil {
		return Record{}, err
	}
	project, err := checkRoot(from.ProjectRoot)
	if err != nil {
		return Record{}, err
	}
	lines, err := encodeEntries(entries)
	if err != nil {
		return Record{}, err
	}
	now := Time{s.o.Clock().UTC().Truncate(time.Millisecond)}
	rec := Record{
		SessionID: s.newID(), ProjectRoot: project, Persona: from.Persona, Mode: from.Mode, Model: from.Model,
		CreatedAt: now, UpdatedAt: now, ForkedFrom: &origin,
	}
	if !ValidID(rec.SessionID) {
		return Record{}, fmt.Errorf("fork session: the generated id %q is not well-formed", rec.SessionID)
	}
	first, err := s.firstLine(rec)
	if err == nil {
		err = s.make(rec, append(first, lines...), true)
	}
	if err != nil {
		return Record{}, storage("the session could not be forked", err)
	}
	return rec, nil
}
