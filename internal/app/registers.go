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
)

// Registers is what changes the dependency registers of projects.
type Registers struct {
	Files     *registerfile.Files
	Proposals *proposal.Store
}

// OpenRegisters returns what a command needs that changes registers by itself.
func OpenRegisters(cfg *config.Config) (Registers, error) {
	audit, err := openAudit(cfg)
	if err != nil {
		return Registers{}, err
	}
	return newRegisters(cfg, audit, newNotifier(cfg).notify), nil
}

func newRegisters(cfg *config.Config, audit *permit.Audit, notify workspace.Notify) Registers {
	files := registerfile.Options{Writer: changeset.Writer{LockDir: locksDir(cfg), Journal: newJournal(cfg), Notify: notify}, Clock: time.Now}
	files.Record = func(ctx context.Context, r registerfile.Record) error {
		e := permit.Entry{Kind: "register", Project: r.Project, Summary: r.Path + ": " + r.Summary, Verdict: verdictBegins, By: r.By, Note: r.Before + " > " + r.After}
		if r.Failed != "" {
			e.Verdict, e.Reason = "failed", r.Failed
		}
		return audit.Append(ctx, e)
	}
	proposals := proposal.Options{LockDir: locksDir(cfg), Files: registerfile.New(files), Clock: time.Now, NewID: newTurnID}
	return Registers{proposals.Files, proposal.New(proposals)}
}
