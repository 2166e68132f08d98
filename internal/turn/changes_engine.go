package turn

import (
	"context"
	"errors"
	"os"

	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/changes"
)

// changesEngine is the engine as file changes need it.
type changesEngine struct{ l *Local }

var _ changes.Engine = changesEngine{}

// Enter implements [changes.Engine].
func (e changesEngine) Enter() error { return e.l.lifetime.enter() }

// Leave implements [changes.Engine].
func (e changesEngine) Leave() { e.l.lifetime.leave() }

// SettleDead implements [changes.Engine].
func (e changesEngine) SettleDead(ctx context.Context, id string) error {
	return e.l.settleDead(ctx, id)
}

// ProjectRoot implements [changes.Engine].
func (e changesEngine) ProjectRoot(path string) (string, error) { return e.l.projects.check(path) }

// Acquire implements [changes.Engine].
func (e changesEngine) Acquire(ctx context.Context, id string) (lease *session.Lease, err error) {
	l := e.l
	lease, err = l.leases.acquireFree(ctx, id)
	if errors.Is(err, session.ErrBusy) {
		return nil, session.Busy(id)
	}
	if err != nil {
		return nil, err
	}
	p, err := l.suspended(ctx, lease)
	switch {
	case err != nil:
	case p != nil && p.answered():
		err = notCarriedOut(id, p.answer)
	case p != nil:
		err = session.Busy(id).
			WithHint("its process died while a call waited for a decision: answer that, or interrupt the turn")
	default:
		if err = l.records.settle(ctx, lease); err == nil {
			return lease, nil
		}
	}
	return nil, errors.Join(err, l.leaveWaiting(lease, p))
}

// aPerson has the write scope of people: everything but what only its own tool may
// write.
var aPerson = persona.Persona{Summary: persona.Summary{ID: "ORCHESTRATOR", WriteScope: "project-level"}}

// Place implements [changes.Engine].
func (e changesEngine) Place(project string, root *os.Root) (*tool.Environment, error) {
	rules, err := e.l.projects.rulesOf(project)
	if err != nil {
		return nil, err
	}
	o := &e.l.o
	blobs, err := o.Store.Blobs(project)
	if err != nil {
		return nil, err
	}
	return &tool.Environment{
		Project: project, Root: root, Scope: o.Scope(project, aPerson), Blobs: blobs, Gate: o.Gate, Journal: o.Journal,
		Limits: rules.Tools, Seen: &tool.Seen{}, Ledger: &tool.Ledger{}, Clock: o.Clock, Path: o.SearchPath, ReadPaths: o.ReadPaths,
	}, nil
}
