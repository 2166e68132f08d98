package agent

import (
	"cmp"
	"context"

	"belay/internal/permit"
)

// Kinds of entries about calls in the audit log.
const (
	// auditRefusal is a call that was refused.
	auditRefusal = "refusal"
	// auditDelegation is the start of an agent, with whose approval it rests on.
	auditDelegation = "delegation"
	// auditOutside is a call that is about to leave the sandbox without a question: a
	// command of the person's, or a call to an MCP server. Where the entry fails it does
	// not run.
	auditOutside = "outside"
)

// audit adds an entry about the call to the audit log. The entry says what happened; the
// call, its agent and its project are filled in. Without an audit log nothing happens.
func (c *toolCall) audit(e permit.Entry) error {
	if c.run.Audit == nil {
		return nil
	}
	e.SessionID, e.TurnID, e.ToolCallID = c.run.SessionID, c.run.ID, c.id
	e.Project, e.Agent, e.Tool = c.run.Lease.Record().ProjectRoot, c.run.Settings.Persona.ID, c.name
	return c.run.Audit.Append(context.WithoutCancel(c.run.Context), e)
}

// unaskedOutside adds to the audit log that a call runs outside the sandbox, and why
// nobody was asked.
func unaskedOutside(c *toolCall, why string) error {
	return c.audit(permit.Entry{
		Kind: auditOutside, Summary: c.act(), Verdict: string(permit.VerdictAllow), Reason: why, Note: c.effect.Why, Effect: c.effect.Fingerprint(),
	})
}

// refused adds to the audit log that the call was refused.
func (c *toolCall) refused(reason string) error {
	return c.audit(permit.Entry{Kind: auditRefusal, Summary: c.act(), Reason: reason})
}

// act is what a call would do, for the audit log. One that was refused before
// that was worked out has its input instead.
func (c *toolCall) act() string {
	return cmp.Or(c.effect.Act(), string(c.run.show(c.input)))
}
