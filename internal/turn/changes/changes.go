// Package changes shows what turns changed in a project, takes it back, forks sessions,
// and lets people decide on changes of commands that are not real yet.
//
// [Changes] answers people. [Files] settles files that dead processes left half changed;
// the engine calls it before it works in a project. Both stand on package journal: files
// change whole or not at all.
package changes

import (
	"context"
	"os"

	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
)

// Changes are the file changes of sessions and projects. It is safe for concurrent use.
type Changes struct {
	files     *Files
	engine    Engine
	questions Questions
}

// Engine runs the turns whose changes these are.
type Engine interface {
	// Enter counts work that ends before the engine closes. It fails when the engine
	// takes no more; otherwise the caller must Leave.
	Enter() error
	Leave()
	// Acquire takes the lease of a session whose record is whole. It fails with
	// TURN_IN_PROGRESS where a turn runs or waits for a person.
	Acquire(ctx context.Context, sessionID string) (*session.Lease, error)
	// SettleDead puts the end of a turn on record whose process died.
	SettleDead(ctx context.Context, sessionID string) error
	// ProjectRoot checks that a path may be a project, and cleans it.
	ProjectRoot(path string) (string, error)
	// ReadableProject is ProjectRoot for what only reads there.
	ReadableProject(path string) (string, error)
	// Place is where a person changes files of a project.
	Place(project string, root *os.Root) (*tool.Environment, error)
}

// Questions are those that turns have asked; [permit.Requests] has them.
type Questions interface {
	List(ctx context.Context, sessionID string) ([]permit.Request, error)
	Verdict(id string) (permit.Decision, bool, error)
}

// New returns the changes of sessions that engine works in. Questions may be nil.
func New(f *Files, engine Engine, questions Questions) *Changes {
	return &Changes{files: f, engine: engine, questions: questions}
}
