package session

import (
	"context"
	"os"
)

// Folder is where a session's files are, an absolute path, for people who want to
// look at them (SESSION_NOT_FOUND).
func (s *Store) Folder(ctx context.Context, id string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	p, err := s.paths.locate(id)
	if err != nil {
		return "", err
	}
	return p.folder(), nil
}

// CopyIn reports whether a project holds a copy of a session, and not the session
// that the id leads to: a project that was copied as a whole, for instance.
func (s *Store) CopyIn(ctx context.Context, project, id string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	p, err := s.paths.locate(id)
	if err != nil {
		return false, err
	}
	here := pathAt(project, dirSessions+"/"+id)
	return here.exists() && !here.same(p), nil
}

// root is the session's folder for who has the lease: its files are where the folder
// is, even if somebody moves that. l.mu is held.
func (l *sessionState) root() (_ *os.Root, err error) {
	if l.folder == nil {
		l.folder, err = l.path.open()
	}
	return l.folder, err
}

// closeRoot closes what root opened. l.mu is held.
func (l *sessionState) closeRoot() {
	if l.folder != nil {
		_ = l.folder.Close() // nothing is written through the folder itself
		l.folder = nil
	}
}
