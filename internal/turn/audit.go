package turn

import (
	"cmp"
	"context"

	"belay/internal/permit"
	"belay/internal/session"
)

// auditDelegation puts on the audit log that an agent was started, and whose
// approval it rests on.
func (t *agentRun) auditDelegation(s *toolCall, approvalRef string) error {
	if t.l.o.Audit == nil {
		return nil
	}
	return t.l.o.Audit.Append(context.WithoutCancel(t.ctx), permit.Entry{
		Kind: "delegation", SessionID: t.session, TurnID: t.id, ToolCallID: s.id, Project: t.lease.Record().ProjectRoot,
		Agent: t.settings.persona.ID, Tool: s.name, Summary: s.effect.Summary, Reason: "approved as " + approvalRef,
		By: t.settings.governance.ApprovedBy,
	})
}

// auditRefusal puts a refused call on the audit log.
func (t *agentRun) auditRefusal(s *toolCall, reason string) error {
	if t.l.o.Audit == nil {
		return nil
	}
	return t.l.o.Audit.Append(context.WithoutCancel(t.ctx), permit.Entry{
		Kind: "refusal", SessionID: t.session, TurnID: t.id, ToolCallID: s.id, Project: t.lease.Record().ProjectRoot,
		Agent: t.settings.persona.ID, Tool: s.name, Summary: t.act(s), Reason: reason,
	})
}

// auditOutside puts on the audit log that a command is about to run outside the
// sandbox without a question. Where that fails the command does not run.
func (t *agentRun) auditOutside(s *toolCall, ruling permit.Ruling) error {
	if t.l.o.Audit == nil {
		return nil
	}
	return t.l.o.Audit.Append(context.WithoutCancel(t.ctx), permit.Entry{
		Kind: "outside", SessionID: t.session, TurnID: t.id, ToolCallID: s.id, Project: t.lease.Record().ProjectRoot,
		Agent: t.settings.persona.ID, Tool: s.name, Summary: t.act(s), Verdict: string(permit.VerdictAllow),
		Reason: ruling.Reason, Note: s.effect.Why, Effect: s.effect.Fingerprint(),
	})
}

// auditPosition is how far the audit log is known to reach, nil where this process
// does not know.
func (l *Local) auditPosition() *session.AuditPosition {
	return (*session.AuditPosition)(l.o.Audit.Position())
}

// act is what a call would do, for the audit log. One that was refused before
// that was worked out has its input instead.
func (t *agentRun) act(s *toolCall) string {
	return cmp.Or(s.effect.Act(), string(t.l.show(s.input)))
}
