package turn

import (
	"context"
	"errors"

	"belay/internal/permit"
)

// Earlier is a turn whose process died at a question that a person has answered since.
type Earlier struct {
	// Stream begins where the turn stood.
	Stream
	// Answer is the person's.
	Answer permit.Decision
}

// takeUp carries out the answer that a person gave after the process of a turn had died.
// It is nil where the session has no such turn.
func (s *streams) takeUp(ctx context.Context, sessionID string) (*Earlier, error) {
	lease, p, err := s.dead.answered(ctx, sessionID)
	if err != nil || p == nil {
		return nil, err
	}
	reader, err := s.store.Reader(ctx, sessionID, lease.LastSeq())
	if err != nil {
		return nil, errors.Join(err, leaveSuspended(lease, p))
	}
	t, err := s.dead.resume(lease, p)
	if err != nil {
		return nil, errors.Join(err, reader.Close())
	}
	return &Earlier{s.open(sessionID, t.ID, t, reader), p.Answer}, nil
}
