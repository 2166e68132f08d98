package turn

import (
	"context"

	"belay/internal/fault"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn/changes"
)

// turnMaker makes turns: new ones, and those that another process began.
type turnMaker struct {
	options   *Options
	root      *persona.Root
	lifetime  *lifetime
	running   *runningTurns
	projects  *projects
	resolver  *resolver
	questions questions
	files     *changes.Files
	ends      *unrecordedEnds
}

// newTurn makes the turn of a request. It has the lease.
func (m *turnMaker) newTurn(lease *session.Lease, r Request, id string) *turn {
	ctx, cancel := context.WithCancelCause(m.lifetime.ctx)
	s := &shared{
		o: m.options, questions: m.questions, fileRecovery: m.files, id: id, session: r.SessionID, lease: lease, ctx: ctx, stop: cancel,
		transcript: &transcript{lease: lease}, spent: &spending{}, workflow: r.Agent != nil,
		closing: m.lifetime.closing, stays: &m.lifetime.stays, leavePlace: m.running.leavePlace,
	}
	s.events = &events{lease: lease, turn: s.id, stop: s.stop}
	t := &turn{shared: s, running: m.running, ends: m.ends, req: r, done: make(chan struct{}), lost: make(chan struct{})}
	t.main = newAgentRun(s)
	t.main.message, t.main.direct = r.Message, r.direct()
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
	if t.main.settings, err = m.resolver.resolve(rec, t.req); err != nil {
		return err
	}
	if err := t.main.settings.rules.Limits.admit(t.req.Message); err != nil {
		return err // by what the project allows
	}
	t.events.interval, t.events.size = t.main.settings.rules.Limits.DeltaInterval, t.main.settings.rules.Limits.DeltaBytes
	agents, problems := delegates(m.root, t.main.settings.governance)
	for _, p := range problems {
		t.main.settings.add("SUBAGENT", p)
	}
	if t.main.tools, err = t.main.settings.tools.With(agents...); err != nil {
		return err
	}
	var badRules []string
	if t.main.policy, badRules = t.main.policyOf(t.req.Allow, t.req.Deny); len(badRules) > 0 {
		t.main.settings.add("BAD_RULES", "these rules cannot be read and do not count: "+fault.List(badRules))
	}
	for _, sentence := range t.lease.Tampered() {
		t.main.settings.add("RECORD_CHANGED", sentence)
	}
	if t.unreported, err = m.files.Unreported(rec.ProjectRoot, rec.SessionID); err != nil {
		return err
	}
	for _, undo := range t.unreported {
		t.main.settings.add("UNDO_SETTLED", changes.Notice(undo))
	}
	if t.blobs, err = t.lease.Blobs(); err != nil {
		return err
	}
	return nil
}
