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
// once, or takes a change back.
func OpenUndo(cfg *config.Config) (*undo.Store, error) {
	audit, err := openAudit(cfg)
	if err != nil {
		return nil, err
	}
	o := undoOptions(cfg)
	o.Writer = newChanges(cfg, newGate(cfg))
	o.Record = recorder(audit, func(c undo.Change) permit.Entry {
		return permit.Entry{Kind: "files", Project: c.Project, Summary: c.What + ": " + strings.Join(c.Paths, ", "), By: c.By, Note: c.ID}
	})
	return undo.New(o), nil
}

// undoOptions say where changes are on record.
func undoOptions(cfg *config.Config) undo.Options {
	return undo.Options{Dir: filepath.Join(cfg.Paths.StateDir, "undo"), Clock: time.Now, NewID: newTurnID}
}
