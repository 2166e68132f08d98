package session

import "context"

// Folder is where a session's files lie, an absolute path, for people who want to
// look at them (SESSION_NOT_FOUND).
func (s *Store) Folder(ctx context.Context, id string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	p, err := s.locate(id)
	if err != nil {
		return "", err
	}
	return p.folder(), nil
}
