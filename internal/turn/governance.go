package turn

import (
	"context"
	"log/slog"
	"time"

	"belay/internal/persona"
)

// govern evaluates delegation (workspace 9.7); the decision never fails the
// turn. Every decision is one line of the server's log, and so is every subagent
// that had to be left out.
func (c *resolver) govern(sessionID string, r Rules, p persona.Persona, o Opts) persona.Decision {
	start := time.Now()
	d := persona.Govern(c.root, p, o.SubagentGovernance, r.SubagentsEnabled)
	c.logDecision(sessionID, p.ID, d, time.Since(start))
	return d
}

func (c *resolver) logDecision(sessionID, id string, d persona.Decision, took time.Duration) {
	ctx := context.Background()
	// A denial for want of the setting is every turn's, so it is explained in detail
	// mode only; anyone who switched delegation on wants to see its outcome.
	level, verdict := slog.LevelInfo, "subagent governance: DENY"
	if d.Gate == persona.GateEnvironment {
		level = slog.LevelDebug
	}
	if d.Allowed {
		verdict = "subagent governance: ALLOW"
	}
	tells := c.logger.Enabled(ctx, level)
	if !tells && len(d.Problems)+len(d.Warnings) == 0 {
		return // as almost every turn
	}
	log := c.logger.With("session", sessionID)
	if tells {
		log.LogAttrs(ctx, level, verdict, slog.String("persona", id), slog.String("gate", string(d.Gate)),
			slog.String("reason", d.Reason), slog.Float64("evaluationMs", float64(took.Microseconds())/1000),
			slog.Any("delegated", d.DelegatedSubagents), slog.String("approvalRef", d.ApprovalRef), slog.String("approvedBy", d.ApprovedBy))
	}
	for _, problem := range d.Problems {
		log.Error("subagent governance: "+problem, "persona", id)
	}
	for _, warning := range d.Warnings {
		log.Warn("subagent governance: "+warning, "persona", id)
	}
}
