package turn

import (
	"context"
	"errors"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/redact"
	"belay/internal/session"
)

// SessionChange is what a person sets of a session; nil leaves it.
type SessionChange struct {
	// Title is what lists call the session; with "" they go by its first message.
	Title *string `json:"title,omitempty"`
	// Mode is the permission mode of turns whose options name none.
	Mode *string `json:"mode,omitempty"`
	// Model is asked in turns whose options name none; "" stands for the usual one.
	Model *string `json:"model,omitempty"`
}

// Check says all that is wrong with a change, and brings it into its form. Unlike the
// contract's endpoints it refuses a mode that there is not: that would act as direct.
func (c *SessionChange) Check() error {
	var bad []fault.Problem
	known, hint := permit.ModeNames(), ""
	if c.Title == nil && c.Mode == nil && c.Model == nil {
		bad = append(bad, fault.Problem{Field: "title", Message: "is required, or mode or model"})
	}
	for _, f := range []struct {
		name  string
		value *string
	}{{"title", c.Title}, {"mode", c.Mode}, {"model", c.Model}} {
		if f.value == nil {
			continue
		}
		trimmed := strings.TrimSpace(*f.value)
		*f.value = trimmed
		switch {
		case !session.GoodName(trimmed):
			bad = append(bad, fault.Problem{Field: f.name, Message: session.NameRule})
		case f.name == "mode" && !slices.Contains(known, trimmed):
			if len(bad) == 0 { // the hint is about the first problem
				hint = "the modes are " + strings.Join(known, ", ")
			}
			bad = append(bad, fault.Problem{Field: f.name, Message: "is unknown"})
		}
	}
	if err := fault.Invalid(bad); err != nil {
		return fault.From(err).WithHint("%s", hint)
	}
	return nil
}

// holdsKey is what is wrong with a name that goes on record and has a key in it.
const holdsKey = "holds a key, and would be on record with it"

// updates change the records of sessions.
type updates struct {
	lifetime *lifetime
	dead     *deadTurns
	redact   *redact.Redactor
}

// Update implements [Sessions]. The change is on disk when Update returns.
func (u *updates) Update(ctx context.Context, id string, c SessionChange) (rec session.Record, err error) {
	if c.Title != nil { // first: what is in the place of a key may be longer
		clean := u.redact.Known(*c.Title)
		c.Title = &clean
	}
	if err := c.Check(); err != nil {
		return rec, err
	}
	if c.Model != nil && u.redact.HoldsKey(*c.Model) {
		return rec, fault.Invalid([]fault.Problem{{Field: "model", Message: holdsKey}})
	}
	if err := u.lifetime.enter(); err != nil {
		return rec, err
	}
	defer u.lifetime.leave()
	lease, err := u.dead.acquireWhole(ctx, id)
	if err != nil {
		return rec, err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	// A process that dies in between has not tampered with the record.
	if err := lease.Boot(); err != nil {
		return rec, err
	}
	err = lease.Update(func(r *session.Record) {
		for _, f := range []struct{ to, value *string }{{&r.Title, c.Title}, {&r.Mode, c.Mode}, {&r.PreferredModel, c.Model}} {
			if f.value != nil {
				*f.to = *f.value
			}
		}
	})
	if err == nil {
		err = lease.Commit(ctx)
	}
	return lease.Record(), err
}
