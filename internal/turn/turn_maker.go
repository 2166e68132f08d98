package turn

import (
	"context"
	"slices"

	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/telemetry"
	"belay/internal/turn/agent"
	"belay/internal/turn/changes"
	"belay/internal/turn/recovery"
)

// turnMaker makes turns: new ones, and those that another process began.
type turnMaker struct {
	services *agent.Services
	newID    func() string
	root     *persona.Root
	lifetime *lifetime
	running  *runningTurns
	projects *projects
	resolver *resolver
	ends     *recovery.UnrecordedEnds
	links    Links
}

// newTurn makes the turn of a request. It has the lease. Of from, which ends with the
// request, it takes the ids and the span.
func (m *turnMaker) newTurn(from context.Context, lease *session.Lease, r Request, id string) *turn {
	r.Message = m.services.WithoutKeys(r.Message)
	ctx, stop := context.WithCancelCause(telemetry.Carry(m.lifetime.ctx, from))
	s := agent.NewTurn(ctx, stop, m.services, id, lease)
	s.Destination = r.Destination
	workflow := r.Agent != nil // it begins its turns anew after a crash
	s.Closing, s.Suspends = m.lifetime.closing, func() bool { return !workflow && m.lifetime.stays.Load() }
	t := &turn{
		Turn: s, running: m.running, ends: m.ends, newID: m.newID, req: r,
		done: make(chan struct{}), lost: make(chan struct{}),
	}
	s.StandStill = t.standStill
	t.main = agent.New(s)
	t.main.Task = agent.Task{Message: r.Message, Direct: r.direct(), Compact: r.Opts.Compact}
	if r.Agent != nil {
		t.main.Alone, t.main.Since = r.Agent.Alone, r.Agent.Since
	}
	return t
}

// awaitTool waits for the tool of a call that a person is asked about: without it the question
// would be closed. A server that stops leaves it to the next one.
func (m *turnMaker) awaitTool(ctx context.Context, name string) error {
	more := m.resolver.more
	if more == nil {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(m.lifetime.closing, stop)()
	if more.Await(ctx, name); m.lifetime.closing.Err() != nil {
		return ErrLeft
	}
	return nil
}

// settleOptions resolves everything that follows from the session's record, the
// turn's options and the project's rules.
func (m *turnMaker) settleOptions(ctx context.Context, t *turn) error {
	rec := t.Lease.Record()
	var err error
	if rec.ProjectRoot, err = m.projects.check(rec.ProjectRoot); err != nil {
		return err
	}
	t.root = rec.ProjectRoot
	if t.suspended != nil {
		if err := m.awaitTool(ctx, t.suspended.Call.Innermost().Waits.Name); err != nil {
			return err
		}
	}
	r, err := m.resolver.resolve(ctx, rec, t.req)
	if err != nil {
		return err
	}
	t.main.Settings, t.rules, t.governance, t.timeout = r.Settings, r.rules, r.governance, r.timeout
	if err := t.rules.Limits.admit(t.req.Message); err != nil {
		return err // by what the project allows
	}
	t.Events.Pace(t.rules.Limits.DeltaInterval, t.rules.Limits.DeltaBytes)
	agents, problems := agent.Delegates(m.root, t.governance)
	if t.req.approvesDelegation() && !t.governance.Allowed {
		problems = append(problems, "nothing is delegated, although the turn approves it: "+t.governance.Reason)
	}
	for _, p := range slices.Concat(t.governance.Problems, problems) {
		t.main.Settings.Warn("SUBAGENT", p)
	}
	t.main.AddSkills(rec.ProjectRoot)
	if err := t.main.Equip(agents, t.req.Allow, t.req.Deny); err != nil {
		return err
	}
	for _, sentence := range t.Lease.Tampered() {
		t.main.Settings.Warn("RECORD_CHANGED", sentence)
	}
	t.Blobs, err = t.Lease.Blobs()
	return err
}

// warnOfUndos has the turn report what was settled since the last one.
func (m *turnMaker) warnOfUndos(t *turn) (err error) {
	t.unreported, err = m.services.FileRecovery.Unreported(t.root, t.SessionID)
	for _, undo := range t.unreported {
		t.main.Settings.Warn("UNDO_SETTLED", changes.Notice(undo))
	}
	return err
}
