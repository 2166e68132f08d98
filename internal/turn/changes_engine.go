package turn

import (
	"context"
	"os"

	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/agent"
	"belay/internal/turn/changes"
)

// changesEngine is the engine as file changes need it.
type changesEngine struct {
	lifetime *lifetime
	projects *projects
	dead     *deadTurns
	store    *session.Store
	services *agent.Services
}

var _ changes.Engine = changesEngine{}

// Enter implements [changes.Engine].
func (e changesEngine) Enter() error { return e.lifetime.enter() }

// Leave implements [changes.Engine].
func (e changesEngine) Leave() { e.lifetime.leave() }

// SettleDead implements [changes.Engine].
func (e changesEngine) SettleDead(ctx context.Context, id string) error {
	return e.dead.settle(ctx, id)
}

// ProjectRoot implements [changes.Engine].
func (e changesEngine) ProjectRoot(path string) (string, error) { return e.projects.check(path) }

// ReadableProject implements [changes.Engine].
func (e changesEngine) ReadableProject(path string) (string, error) { return e.projects.look(path) }

// Acquire implements [changes.Engine].
func (e changesEngine) Acquire(ctx context.Context, id string) (*session.Lease, error) {
	return e.dead.acquireWhole(ctx, id)
}

// aPerson has the write scope of people: everything but what only its own tool may
// write.
var aPerson = persona.Persona{Summary: persona.Summary{ID: "ORCHESTRATOR", WriteScope: "project-level"}}

// Place implements [changes.Engine].
func (e changesEngine) Place(project string, root *os.Root) (*tool.Environment, error) {
	rules, err := e.projects.rulesOf(project)
	if err != nil {
		return nil, err
	}
	blobs, err := e.store.Blobs(project)
	if err != nil {
		return nil, err
	}
	s := e.services
	return &tool.Environment{
		Project: project, Root: root, Scope: s.Scope(project, aPerson), Blobs: blobs, Gate: s.Gate, Journal: s.Journal,
		Limits: rules.Tools, Seen: &tool.Seen{}, Ledger: &tool.Ledger{}, Clock: s.Clock, Path: s.SearchPath, GitConfigs: s.GitConfigs, ReadPaths: s.ReadPaths,
	}, nil
}
