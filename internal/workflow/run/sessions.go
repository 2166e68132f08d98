package run

import (
	"context"
	"strings"
	"sync"
	"time"

	"belay/internal/persona"
	"belay/internal/turn"
)

// maxTurnsOfSession is how many tasks use one session after the other: a session is read
// as a whole when it is opened.
const maxTurnsOfSession = 100

// lent are the sessions of a run that tasks share, one after the other. Each task begins
// with an empty conversation there. The zero value has none.
type lent struct {
	mu   sync.Mutex
	idle map[turn.CreateRequest][]usedSession
}

type usedSession struct {
	id   string
	uses int
}

// borrow gives a session that no other task uses. Done gives it back; a session whose last
// turn did not end well is not used again.
func (l *lent) borrow(ctx context.Context, e Engine, who turn.CreateRequest) (id string, done func(well bool), err error) {
	l.mu.Lock()
	var s usedSession
	if all := l.idle[who]; len(all) > 0 {
		s, l.idle[who] = all[len(all)-1], all[:len(all)-1]
	}
	l.mu.Unlock()
	if s.id == "" {
		made, err := e.Create(ctx, who)
		if err != nil {
			return "", nil, err
		}
		s.id = made.SessionID
	}
	return s.id, func(well bool) {
		if s.uses++; !well || s.uses >= maxTurnsOfSession {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.idle == nil {
			l.idle = map[turn.CreateRequest][]usedSession{}
		}
		l.idle[who] = append(l.idle[who], s)
	}, nil
}

// sessionOf is the session of an attempt: one of its own, or for a task in a large
// collection one that it shares with others.
func (x *execution) sessionOf(ctx context.Context, j *job, rec *Task) (id string, done func(well bool), err error) {
	who := turn.CreateRequest{ProjectRoot: x.record.Project, Persona: workflowPersona(j.agent.Name), Mode: j.opts.Mode}
	if rec.many {
		j.agent.Alone = true
		top, _, _ := strings.Cut(rec.Key, "/")
		who.Title = x.w.ID + ": " + top + ", " + x.id
		return x.lent.borrow(ctx, x.r.o.Engine, who)
	}
	who.Title = x.w.ID + ": " + rec.Key + ", " + x.id
	made, err := x.r.o.Engine.Create(ctx, who)
	return made.SessionID, func(bool) {}, err
}

func workflowPersona(name string) string { return persona.InlinePrefix + name }

// begin adds an attempt to the record.
func (t *Task) begin(session string, now time.Time) *Attempt {
	t.Attempts = append(t.Attempts, Attempt{Session: session, StartedAt: now})
	return &t.Attempts[len(t.Attempts)-1]
}

// finish notes how an attempt ended.
func (t *Task) finish(a *Attempt, now time.Time, err error) {
	if a.EndedAt = &now; err != nil {
		a.Error = failureOf(err)
	}
}
