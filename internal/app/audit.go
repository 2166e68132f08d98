package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"belay/internal/api"
	"belay/internal/config"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/coordination"
)

// VerifyAudit checks the whole audit log, also against the positions that sessions of
// every known project recorded.
func (a *App) VerifyAudit(ctx context.Context) (api.AuditVerdict, error) {
	v := api.AuditVerdict{File: AuditPath(a.Config.Paths.StateDir)}
	log, err := permit.OpenAudit(v.File, time.Now)
	if err != nil {
		return v, err
	}
	var seen []permit.Seen
	sessions := map[string]bool{}
	if err := a.Store.Upkeep.AuditPositions(ctx, func(id string, p session.AuditPosition) {
		if at := permit.Position(p); log.Has(at) {
			seen = append(seen, permit.Seen{Where: "session " + id, Position: at})
			sessions[id] = true
		}
	}); err != nil {
		return v, err
	}
	v.Sessions = len(sessions)
	v.Lines, err = log.Verify(ctx, seen...)
	switch {
	case err == nil:
		v.Whole = true
	case errors.Is(err, permit.ErrAuditBroken):
		v.Problem = err.Error()
	default:
		return v, err
	}
	return v, nil
}

// Coordinator records modes for a command that needs nothing else.
func Coordinator(cfg *config.Config) (*coordination.Writer, error) {
	audit, err := openAudit(cfg)
	if err != nil {
		return nil, err
	}
	return coordinator(cfg, audit, newGate(cfg)), nil
}

// coordinator records how projects are coordinated, each change on the audit log before
// it is made.
func coordinator(cfg *config.Config, audit *permit.Audit, gate workspace.Gate) *coordination.Writer {
	return &coordination.Writer{Writer: newChanges(cfg, gate), Record: recorder(audit, func(c coordination.Change) permit.Entry {
		from := cmp.Or(string(c.From), "no mode")
		return permit.Entry{Kind: "coordination", Project: c.Project, Summary: fmt.Sprintf("%s: %s to %s", c.Path, from, c.To), By: c.By}
	})}
}

// recorder puts changes of one kind on the audit log.
func recorder[C any](audit *permit.Audit, entry func(C) permit.Entry) changeset.Recorder[C] {
	return func(ctx context.Context, change C, failed error) error {
		e := entry(change)
		e.Verdict = permit.VerdictBegins
		if failed != nil {
			e.Verdict, e.Reason = permit.VerdictFailed, failed.Error()
		}
		return audit.Append(ctx, e)
	}
}
