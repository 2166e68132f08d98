package app

import (
	"fmt"
	"time"

	"belay/internal/config"
	"belay/internal/permit"
	"belay/internal/workspace"
	"belay/internal/workspace/statusfile"
)

// Transitions makes transitions for a command that needs nothing else.
func Transitions(cfg *config.Config) (*statusfile.Writer, error) {
	audit, err := openAudit(cfg)
	if err != nil {
		return nil, err
	}
	return transitions(cfg, audit, newGate(cfg)), nil
}

// transitions makes transitions, each on the audit log before it is made.
func transitions(cfg *config.Config, audit *permit.Audit, gate workspace.Gate) *statusfile.Writer {
	w := statusfile.Writer{Locks: locksDir(cfg)}
	w.Clock, w.Gate = time.Now, gate
	w.Record = recorder(audit, transitionEntry)
	return &w
}

// transitionEntry is a transition as the audit log has it.
func transitionEntry(r statusfile.Record) permit.Entry {
	e := permit.Entry{
		Kind: "transition", Project: r.Project, SessionID: r.By.Session, TurnID: r.By.Turn, Agent: r.By.Agent, By: r.By.Name,
		Summary: fmt.Sprintf("%s: %s to %s by %s", r.Path, r.From, r.To, r.Actor), Note: r.Note,
		Reason: fmt.Sprintf("content %s to %s", r.Before, r.After),
	}
	switch {
	case r.Commit != "":
		e.Reason = "approved commit " + r.Commit + "; " + e.Reason
	case r.Approval != "":
		e.Reason = "approved as " + r.Approval + ", which no repository was there to check; " + e.Reason
	}
	return e
}
