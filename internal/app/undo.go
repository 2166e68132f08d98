package app

import (
	"path/filepath"
	"strings"
	"time"

	"belay/internal/config"
	"belay/internal/permit"
	"belay/internal/workspace/undo"
)

// OpenUndo returns what a command needs that changes several files of a project at
// once, or takes such a change back.
func OpenUndo(cfg *config.Config) (*undo.Store, error) {
	audit, err := openAudit(cfg)
	if err != nil {
		return nil, err
	}
	return undo.New(undo.Options{
		Writer: newChanges(cfg, newGate(cfg)),
		Dir:    filepath.Join(cfg.Paths.StateDir, "undo"), Clock: time.Now, NewID: newTurnID,
		Record: recorder(audit, func(c undo.Change) permit.Entry {
			return permit.Entry{Kind: "files", Project: c.Project, Summary: c.What + ": " + strings.Join(c.Paths, ", "), By: c.By, Note: c.ID}
		}),
	}), nil
}
