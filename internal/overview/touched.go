package overview

import (
	"context"
	"slices"

	"belay/internal/session"
)

// Touching is a session that changed files of a folder.
type Touching struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	Persona   string `json:"persona,omitempty"`
	// Turns is how many turns did, Last when the last one did.
	Turns int          `json:"turns"`
	Last  session.Time `json:"lastAt"`
	// Paths are the files, relative to the project, at most 20.
	Paths []string `json:"paths"`
}

// What [Overview.Touching] looks at: sessions, those used last first, and bytes of their
// transcripts.
const (
	maxTouching      = 300
	maxTouchingBytes = 64 << 20
)

// Touching lists the sessions of a project that changed files in a folder of it, the one
// that did last first. It looks at the 300 sessions that were used last and at most 64 MiB
// of their transcripts; more reports whether there are others.
func (v *Overview) Touching(ctx context.Context, projectRoot, folder string) (all []Touching, more bool, err error) {
	rows, _, err := v.rows(ctx, projectRoot)
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(rows, byUse)
	left := int64(maxTouchingBytes)
	for i, r := range rows {
		if err := ctx.Err(); err != nil {
			return nil, false, context.Cause(ctx)
		}
		if i == maxTouching || left <= 0 {
			more = true
			break
		}
		if r.Damaged {
			continue
		}
		t, read, err := v.o.Sessions.ChangesIn(r, folder)
		left -= read
		if err != nil || len(t.Turns) == 0 {
			continue // who opens the session learns that it cannot be read
		}
		one := Touching{SessionID: r.ID, Turns: len(t.Turns), Last: t.Last, Paths: t.Paths}
		if rec, err := v.o.Sessions.Read(r); err == nil && rec != nil {
			one.Persona = rec.Persona
			if d, err := v.digest(r); err == nil {
				one.Title = titleOf(rec, d)
			}
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b Touching) int { return b.Last.Compare(a.Last.Time) })
	return all, more, nil
}
