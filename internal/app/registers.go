package app

import (
	"context"
	"time"

	"belay/internal/config"
	"belay/internal/permit"
	"belay/internal/redact"
	"belay/internal/workspace"
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
	audit, err := permit.OpenAudit(AuditPath(cfg.Paths.StateDir), time.Now)
	if err != nil {
		return Registers{}, err
	}
	return newRegisters(cfg, audit.Redacting(redact.New(secrets(cfg)...)), newNotifier(cfg).notify), nil
}

func newRegisters(cfg *config.Config, audit *permit.Audit, notify workspace.Notify) Registers {
	files := registerOptions(cfg)
	files.Clock, files.Notify = time.Now, notify
	files.Record = func(ctx context.Context, r registerfile.Record) error {
		e := permit.Entry{Kind: "register", Project: r.Project, Summary: r.Path + ": " + r.Summary, Verdict: "written", By: r.By, Note: r.Before + " > " + r.After}
		if r.Failed != "" {
			e.Verdict, e.Reason = "failed", r.Failed
		}
		return audit.Append(ctx, e)
	}
	proposals := proposalOptions(cfg)
	proposals.Files, proposals.Clock, proposals.NewID = registerfile.New(files), time.Now, newTurnID
	return Registers{proposals.Files, proposal.New(proposals)}
}

func registerOptions(cfg *config.Config) registerfile.Options {
	return registerfile.Options{LockDir: locksDir(cfg)}
}

func proposalOptions(cfg *config.Config) proposal.Options {
	return proposal.Options{LockDir: locksDir(cfg)}
}
