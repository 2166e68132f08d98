package session

import (
	"bytes"
	"context"
	"slices"
)

// AuditPositions calls see with every position of an audit log that the sessions
// of the known projects recorded, and those of the caller's own project. It only
// reads, whole transcripts: it is for a command that a person waits for. A session
// that cannot be read is left out.
func (s *Upkeep) AuditPositions(ctx context.Context, see func(id string, p AuditPosition)) error {
	projects := s.store.paths.knownProjects()
	switch home := s.store.o.HomeProject; {
	case s.store.o.SessionRoot != "":
		projects = []string{home} // the sessions of all projects are in one folder
	case home != "" && !slices.Contains(projects, home):
		projects = append(projects, home)
	}
	for _, project := range projects {
		ids, err := s.store.paths.folders(project)
		if err != nil {
			continue // it is gone, or not mounted now
		}
		for _, id := range ids {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.store.paths.pathIn(project, id).auditPositions(func(p AuditPosition) { see(id, p) })
		}
	}
	return nil
}

// auditField begins the position in a line.
var auditField = []byte(`"audit":`)

// auditPositions calls see with the positions that a transcript holds.
func (p sessionPath) auditPositions(see func(AuditPosition)) {
	root, err := p.open()
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	_ = scanFile(root, fileTranscript, func(b []byte, _ int64) error { // what was read up to an error counts
		if isRequest(b) || !bytes.Contains(b, auditField) {
			return nil
		}
		if e, err := parseEntry(b); err == nil && e.Audit != nil {
			see(*e.Audit)
		}
		return nil
	})
}
