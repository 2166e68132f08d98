package turn

import (
	"belay/internal/event"
	"belay/internal/plainjson"
	"belay/internal/session"
)

// record writes what the person sent. From here on the turn is accepted.
func (t *turn) record(after int64) error {
	e := session.Entry{
		Kind: session.EntryTurn, Turn: t.id, Time: session.Time{Time: t.clock()},
		Message: t.req.Message, Warning: t.main.refused, Attachments: t.main.files, Links: t.main.links, Destination: t.destination, After: after,
	}
	if t.req.Agent != nil {
		e.By = t.main.settings.persona.ID
	}
	if options := plainjson.MustMarshal(t.req.Opts); string(options) != "{}" {
		e.Options = options
	}
	if t.req.IdempotencyKey != "" {
		e.Idempotency = &session.Idempotency{Key: t.req.IdempotencyKey, Digest: t.req.BodyDigest}
	}
	return t.transcript.append(e)
}

// init is the turn's first event; the provider-side conversation id is on
// record before anybody sees it (section 2, "Side effect").
func (t *turn) init() error {
	if err := t.noteModel(); err != nil {
		return err
	}
	warnings := t.main.settings.warnings
	if warnings == nil {
		warnings = []event.Warning{}
	}
	return t.events.emit(event.Draft{Type: event.SessionInit, Data: event.Init{
		ClaudeSessionID: t.lease.Record().ClaudeSessionID,
		Model:           t.main.settings.model,
		AnsweredBy:      t.main.settings.answeredBy(),
		TurnID:          t.id,
		PromptMode:      t.main.promptMode(),
		Tools:           t.main.tools.Names(),
		Warnings:        warnings,
		Governance: &event.Governance{
			Allowed: t.governance.Allowed, Gate: string(t.governance.Gate), Reason: t.governance.Reason,
		},
	}})
}

// noteModel brings into the session's record what session:init says of it. Most
// turns change nothing and begin without writing the record.
func (t *turn) noteModel() error {
	rec := t.lease.Record()
	if rec.ClaudeSessionID != "" && rec.Model == t.main.settings.model {
		return nil
	}
	return t.lease.Update(func(r *session.Record) {
		if r.ClaudeSessionID == "" {
			r.ClaudeSessionID = "claude_" + t.newID()
		}
		r.Model, r.UpdatedAt = t.main.settings.model, session.Time{Time: t.clock()}
	})
}
