package turn

import (
	"cmp"
	"context"

	"belay/internal/permit"
)

// auditDelegation puts on the audit log that an agent was started, and whose
// approval it rests on.
func (c *toolCall) auditDelegation(approvalRef string) error {
	if c.run.audit == nil {
		return nil
	}
	return c.run.audit.Append(context.WithoutCancel(c.run.ctx), permit.Entry{
		Kind: "delegation", SessionID: c.run.session, TurnID: c.run.id, ToolCallID: c.id, Project: c.run.lease.Record().ProjectRoot,
		Agent: c.run.settings.persona.ID, Tool: c.name, Summary: c.effect.Summary, Reason: "approved as " + approvalRef,
		By: c.run.settings.approvedBy,
	})
}

// auditRefusal puts a refused call on the audit log.
func (c *toolCall) auditRefusal(reason string) error {
	if c.run.audit == nil {
		return nil
	}
	return c.run.audit.Append(context.WithoutCancel(c.run.ctx), permit.Entry{
		Kind: "refusal", SessionID: c.run.session, TurnID: c.run.id, ToolCallID: c.id, Project: c.run.lease.Record().ProjectRoot,
		Agent: c.run.settings.persona.ID, Tool: c.name, Summary: c.act(), Reason: reason,
	})
}

// auditOutside puts on the audit log that a command is about to run outside the
// sandbox without a question. Where that fails the command does not run.
func (c *toolCall) auditOutside(ruling permit.Ruling) error {
	if c.run.audit == nil {
		return nil
	}
	return c.run.audit.Append(context.WithoutCancel(c.run.ctx), permit.Entry{
		Kind: "outside", SessionID: c.run.session, TurnID: c.run.id, ToolCallID: c.id, Project: c.run.lease.Record().ProjectRoot,
		Agent: c.run.settings.persona.ID, Tool: c.name, Summary: c.act(), Verdict: string(permit.VerdictAllow),
		Reason: ruling.Reason, Note: c.effect.Why, Effect: c.effect.Fingerprint(),
	})
}

// act is what a call would do, for the audit log. One that was refused before
// that was worked out has its input instead.
func (c *toolCall) act() string {
	return cmp.Or(c.effect.Act(), string(c.run.show(c.input)))
}
