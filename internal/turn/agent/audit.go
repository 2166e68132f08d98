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
	// auditHook is a hook that failed, which denies what it was asked about, with what it
	// wrote to stderr.
	auditHook = "hook"
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

// hookFailed puts on the log and on the audit log why a hook failed that was asked about an
// effect of a call. Its answer is a denial.
func hookFailed(c *toolCall, e permit.Effect, answer permit.HookAnswer, err error) {
	c.run.Logger.Error("a hook failed", "tool", c.name, "error", err)
	entry := permit.Entry{Kind: auditHook, Summary: cmp.Or(e.Act(), c.act()), Verdict: string(answer.Verdict), Reason: answer.Note, Note: err.Error()}
	if err := c.audit(entry); err != nil {
		c.run.Logger.Error("put on the audit log why a hook failed", "error", err)
	}
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
