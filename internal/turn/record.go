package turn

import (
	"context"
	"slices"

	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/tool"
)

// append adds entries to the transcript, after those that were held back. After a
// failure nothing more is added: a transcript that misses an entry must not look
// complete, so that the next lease of the session takes what is missing from the
// log ([Local.settleRecord]).
func (t *agentRun) append(entries ...session.Entry) error {
	for i := range entries {
		entries[i].Agent = t.agent
	}
	top := t.top()
	if len(top.held) > 0 {
		entries, top.held = append(top.held, entries...), nil
	}
	if top.torn == nil {
		top.torn = t.lease.Append(entries...)
	}
	return top.torn
}

// hold keeps a line of the turn's own back until the next one is appended, which
// must be about to happen: both go into the file with one write.
func (t *agentRun) hold(e session.Entry) { t.held = append(t.held, e) }

// unhold appends what was held back, where the log is to report it first.
func (t *agentRun) unhold() error {
	if len(t.held) == 0 {
		return nil
	}
	return t.append()
}

// record writes what the person sent. From here on the turn is accepted.
func (t *agentRun) record(after int64) error {
	e := session.Entry{
		Kind: session.EntryTurn, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		Message: t.req.Message, Warning: t.refused, Attachments: t.files, After: after,
	}
	if t.req.Agent != nil {
		e.By = t.settings.persona.ID
	}
	if options := mustJSON(t.req.Opts); string(options) != "{}" {
		e.Options = options
	}
	if t.req.IdempotencyKey != "" {
		e.Idempotency = &session.Idempotency{Key: t.req.IdempotencyKey, Digest: t.req.BodyDigest}
	}
	return t.append(e)
}

// init is the turn's first event; the provider-side conversation id is on
// record before anybody sees it (section 2, "Side effect").
func (t *agentRun) init() error {
	if err := t.noteModel(); err != nil {
		return err
	}
	warnings := t.settings.warnings
	if warnings == nil {
		warnings = []event.Warning{}
	}
	return t.emit(event.Draft{Type: event.SessionInit, Data: event.Init{
		ClaudeSessionID: t.lease.Record().ClaudeSessionID,
		Model:           t.settings.model,
		AnsweredBy:      t.settings.answeredBy(),
		TurnID:          t.id,
		PromptMode:      t.promptMode(),
		Tools:           t.tools.Names(),
		Warnings:        warnings,
		Governance: &event.Governance{
			Allowed: t.settings.governance.Allowed, Gate: string(t.settings.governance.Gate), Reason: t.settings.governance.Reason,
		},
	}})
}

// noteModel brings into the session's record what session:init says of it. Most
// turns change nothing and begin without writing the record.
func (t *agentRun) noteModel() error {
	rec := t.lease.Record()
	if rec.ClaudeSessionID != "" && rec.Model == t.settings.model {
		return nil
	}
	return t.lease.Update(func(r *session.Record) {
		if r.ClaudeSessionID == "" {
			r.ClaudeSessionID = "claude_" + t.l.o.NewID()
		}
		r.Model, r.UpdatedAt = t.settings.model, session.Time{Time: t.l.o.Clock()}
	})
}

// intend puts on record what a call is about to change, durably, with the contents
// that this replaces. Should the process die before the call has its result, the
// next lease knows where to look ([changes.Files.Recover]).
func (t *agentRun) intend(ctx context.Context, made ...session.Change) error {
	made = slices.Clone(made)
	for i := range made {
		made[i].Call = tool.OriginOf(ctx).CallID
	}
	err := t.append(session.Entry{Kind: session.EntryIntent, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()}, Changes: made})
	if err != nil {
		return err
	}
	return t.lease.Commit(ctx)
}
