package overview

import (
	"context"
	"path/filepath"

	"belay/internal/session"
)

// State is what a session does now.
type State string

// The states of a session.
const (
	// Idle: no turn runs.
	Idle State = "idle"
	// Running: a turn runs, in whichever process.
	Running State = "running"
	// Waiting: a call waits for a person.
	Waiting State = "waiting"
	// Damaged: the session cannot be used.
	Damaged State = "damaged"
)

// States lists the states of a session.
func States() []string {
	return []string{string(Idle), string(Running), string(Waiting), string(Damaged)}
}

// Session is a session as lists show it.
type Session struct {
	SessionID   string `json:"sessionId"`
	ProjectID   string `json:"projectId"`
	ProjectName string `json:"projectName"`
	ProjectRoot string `json:"projectRoot"`
	// Title is the session's own, or the first line of its first message, "" where there
	// is neither.
	Title         string `json:"title"`
	State         State  `json:"state"`
	OpenQuestions int    `json:"openQuestions"`
	Turns         int    `json:"turns"`
	// CostUSD is what its ended turns cost, absent where no model had a price.
	CostUSD *float64 `json:"costUsd,omitempty"`
	Persona string   `json:"persona,omitempty"`
	Mode    string   `json:"mode,omitempty"`
	Model   string   `json:"model,omitempty"`
	// PreferredModel is asked in turns whose options name none.
	PreferredModel string          `json:"preferredModel,omitempty"`
	CreatedAt      session.Time    `json:"createdAt"`
	UpdatedAt      session.Time    `json:"updatedAt"`
	ReadOnly       bool            `json:"readOnly,omitempty"`
	Damaged        string          `json:"damaged,omitempty"`
	ForkedFrom     *session.Origin `json:"forkedFrom,omitempty"`
	// LastExit is the exit code of the turn that ended last, absent before one has:
	// 0, 130 for an interrupted turn, or another for a failed one; LastError is why it failed.
	LastExit  *int   `json:"lastExit,omitempty"`
	LastError string `json:"lastError,omitempty"`
	// Pipeline says which work of a pipeline the session was made for, without its note and
	// options.
	Pipeline *session.Pipeline `json:"pipeline,omitempty"`
}

// titleOf is what people call a session.
func titleOf(rec *session.Record, d *session.Digest) string {
	if rec != nil && rec.Title != "" {
		return rec.Title
	}
	return d.Opening
}

// state is what a session does now. Only a turn without an end may run.
func (v *Overview) state(r session.Row, d *session.Digest, open asked) State {
	switch {
	case r.Damaged || d == nil:
		return Damaged
	case open.inSession[r.ID] > 0:
		return Waiting
	case d.Open != "":
		if v.o.Sessions.Running(r.ID) {
			return Running
		}
	}
	return Idle
}

// show is a session as lists show it, nil where it is gone.
func (v *Overview) show(ctx context.Context, r session.Row, open asked) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rec, err := v.o.Sessions.Read(r)
	if rec == nil || err != nil {
		return nil, err
	}
	d, err := v.digest(r)
	if err != nil {
		d = nil // the session is damaged, and its record says so
	}
	s := &Session{
		SessionID: r.ID, ProjectID: v.idOf(r.ProjectRoot), ProjectName: filepath.Base(r.ProjectRoot), ProjectRoot: r.ProjectRoot,
		State: v.state(r, d, open), OpenQuestions: open.inSession[r.ID], Persona: rec.Persona, Mode: rec.Mode, Model: rec.Model, PreferredModel: rec.PreferredModel,
		CreatedAt: rec.CreatedAt, UpdatedAt: rec.UpdatedAt, ReadOnly: rec.ReadOnly, Damaged: rec.Damaged, ForkedFrom: rec.ForkedFrom,
	}
	if rec.Pipeline != nil {
		label := *rec.Pipeline
		label.Note, label.Options, label.Digest = "", nil, ""
		s.Pipeline = &label
	}
	if d != nil {
		s.Title, s.Turns, s.CostUSD = titleOf(rec, d), d.Turns, d.CostUSD
		s.LastExit, s.LastError = d.Exit, d.Failure
	}
	if rec.Damaged != "" {
		s.State = Damaged
	}
	return s, nil
}
