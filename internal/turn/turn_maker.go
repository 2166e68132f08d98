package turn

import (
	"context"

	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn/changes"
)

// turnMaker makes turns: new ones, and those that another process began.
type turnMaker struct {
	services *services
	newID    func() string
	root     *persona.Root
	lifetime *lifetime
	running  *runningTurns
	projects *projects
	resolver *resolver
	ends     *unrecordedEnds
}

// newTurn makes the turn of a request. It has the lease.
func (m *turnMaker) newTurn(lease *session.Lease, r Request, id string) *turn {
	ctx, stop := context.WithCancelCause(m.lifetime.ctx)
	s := newShared(ctx, stop, m.services, id, lease)
	s.destination = r.Destination
	workflow := r.Agent != nil // it begins its turns anew after a crash
	s.closing, s.suspends = m.lifetime.closing, func() bool { return !workflow && m.lifetime.stays.Load() }
	t := &turn{
		shared: s, running: m.running, ends: m.ends, newID: m.newID, req: r,
		done: make(chan struct{}), lost: make(chan struct{}),
	}
	s.standStill = t.standStill
	t.main = newAgentRun(s)
	t.main.task = task{message: r.Message, direct: r.direct()}
	if r.Agent != nil {
		t.main.alone, t.main.since = r.Agent.Alone, r.Agent.Since
	}
	return t
}

// settleOptions resolves everything that follows from the session's record, the
// turn's options and the project's rules.
func (m *turnMaker) settleOptions(t *turn) error {
	rec := t.lease.Record()
	var err error
	if rec.ProjectRoot, err = m.projects.check(rec.ProjectRoot); err != nil {
		return err
	}
	r, err := m.resolver.resolve(rec, t.req)
	if err != nil {
		return err
	}
	t.main.settings, t.rules, t.governance, t.timeout = r.settings, r.rules, r.governance, r.timeout
	if err := t.rules.Limits.admit(t.req.Message); err != nil {
		return err // by what the project allows
	}
	t.events.pace(t.rules.Limits.DeltaInterval, t.rules.Limits.DeltaBytes)
	agents, problems := delegates(m.root, t.governance)
	for _, p := range problems {
		t.main.settings.warn("SUBAGENT", p)
	}
	if err := t.main.equip(agents, t.req.Allow, t.req.Deny); err != nil {
		return err
	}
	for _, sentence := range t.lease.Tampered() {
		t.main.settings.warn("RECORD_CHANGED", sentence)
	}
	if t.unreported, err = m.services.fileRecovery.Unreported(rec.ProjectRoot, rec.SessionID); err != nil {
		return err
	}
	for _, undo := range t.unreported {
		t.main.settings.warn("UNDO_SETTLED", changes.Notice(undo))
	}
	if t.blobs, err = t.lease.Blobs(); err != nil {
		return err
	}
	return nil
}
