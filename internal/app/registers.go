package app

import (
	"context"
	"time"

	"belay/internal/config"
	"belay/internal/permit"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/registerfile"
	"belay/internal/workspace/undo"
)

// Registers is what changes the dependency registers of projects.
type Registers struct {
	Files     *registerfile.Files
	Proposals *proposal.Store
	Changes   changeset.Writer
}

// OpenRegisters returns what a command needs that changes registers by itself.
func OpenRegisters(cfg *config.Config) (Registers, error) {
	audit, err := openAudit(cfg)
	if err != nil {
		return Registers{}, err
	}
	return newRegisters(cfg, audit, newGate(cfg)), nil
}

// SettleProject completes or takes back what a process that died has left half done of the
// project's files. An error says that they may be half changed.
func SettleProject(ctx context.Context, cfg *config.Config, root string) error {
	return newChanges(cfg, newGate(cfg)).Settle(ctx, root)
}

// newChanges is who changes files of projects for people. What it changes can be taken back.
func newChanges(cfg *config.Config, gate workspace.Gate) changeset.Writer {
	return changeset.Writer{LockDir: locksDir(cfg), Journal: newJournal(cfg), Gate: gate, Keep: undo.New(undoOptions(cfg)).Keep}
}

func newRegisters(cfg *config.Config, audit *permit.Audit, gate workspace.Gate) Registers {
	changes := newChanges(cfg, gate)
	files := registerfile.Options{Writer: changes, Clock: time.Now}
	files.Record = recorder(audit, func(r registerfile.Record) permit.Entry {
		return permit.Entry{Kind: "register", Project: r.Project, Summary: r.Path + ": " + r.Summary, By: r.By, Note: r.Before + " > " + r.After}
	})
	proposals := proposal.Options{LockDir: locksDir(cfg), Files: registerfile.New(files), Clock: time.Now, NewID: newTurnID}
	return Registers{proposals.Files, proposal.New(proposals), changes}
}
