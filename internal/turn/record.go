package turn

import (
	"belay/internal/event"
	"belay/internal/plainjson"
	"belay/internal/session"
)

// record writes what the person sent. From here on the turn is accepted.
func (t *turn) record(after int64) error {
	e := session.Entry{
		Kind: session.EntryTurn, Turn: t.ID, Time: session.Time{Time: t.Clock()},
		Message: t.req.Message, Warning: t.main.Refused, Attachments: t.main.Files, Links: t.main.Links, Destination: t.Destination, After: after,
		Compact: t.req.Opts.Compact,
	}
	if t.req.Agent != nil {
		e.By = t.main.Settings.Persona.ID
	}
	if options := plainjson.MustMarshal(t.req.Opts); string(options) != "{}" {
		e.Options = options
	}
	if t.req.IdempotencyKey != "" {
		e.Idempotency = &session.Idempotency{Key: t.req.IdempotencyKey, Digest: t.req.BodyDigest}
	}
	return t.Transcript.Append(e)
}

// init is the turn's first event; the provider-side conversation id is on
// record before anybody sees it (section 2, "Side effect").
func (t *turn) init() error {
	if err := t.noteModel(); err != nil {
		return err
	}
	warnings := t.main.Settings.Warnings
	if warnings == nil {
		warnings = []event.Warning{}
	}
	return t.Events.Emit(event.Draft{Type: event.SessionInit, Data: event.Init{
		ClaudeSessionID: t.Lease.Record().ClaudeSessionID,
		Model:           t.main.Settings.Model,
		AnsweredBy:      t.main.Settings.AnsweredBy(),
		TurnID:          t.ID,
		PromptMode:      t.main.PromptMode(),
		Tools:           t.main.Tools.Names(),
		Warnings:        warnings,
		Governance: &event.Governance{
			Allowed: t.governance.Allowed, Gate: string(t.governance.Gate), Reason: t.governance.Reason,
		},
	}})
}

// noteModel brings into the session's record what session:init says of it. Most
// turns change nothing and begin without writing the record.
func (t *turn) noteModel() error {
	rec := t.Lease.Record()
	if rec.ClaudeSessionID != "" && rec.Model == t.main.Settings.Model {
		return nil
	}
	return t.Lease.Update(func(r *session.Record) {
		if r.ClaudeSessionID == "" {
			r.ClaudeSessionID = "claude_" + t.newID()
		}
		r.Model, r.UpdatedAt = t.main.Settings.Model, session.Time{Time: t.Clock()}
	})
}
