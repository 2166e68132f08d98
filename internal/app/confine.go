package app

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"belay/internal/attachment"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn"
)

// projectRoots are the folders in or below which callers of a server may name a
// project; nil is no bound. On an address that other machines reach, a server
// that is given none serves its own project alone.
func projectRoots(cfg *config.Config) allowedRoots {
	switch {
	case len(cfg.Server.ProjectRoots) > 0:
		return cfg.Server.ProjectRoots
	case cfg.Loopback():
		return nil
	}
	return allowedRoots{projectFolder(cfg)}
}

// projectFolder is the project of commands that take one, "" when it is the
// working folder and that is gone.
func projectFolder(cfg *config.Config) string {
	if cfg.Project != "" {
		return cfg.Project
	}
	dir, _ := os.Getwd()
	return dir
}

// confined is an engine for callers that may not choose any project: all that
// they name, or reach by a session's id, lies in or below one of the roots.
// Everything else is FORBIDDEN with details.reason project.
//
// The engine is not embedded: what is added to [turn.Engine] has to be confined
// before it compiles.
type confined struct {
	engine turn.Engine
	// listed is a session's record, also of one that is damaged ([session.Store.Listed]).
	listed func(ctx context.Context, id string) (session.Record, error)
	// find looks for sessions in the projects that are allowed ([session.Catalog.FindIn]).
	find  func(ctx context.Context, prefix string, allowed func(projectRoot string) bool) ([]session.Record, error)
	roots allowedRoots
}

var _ turn.Engine = confined{}

// allowedRoots are the folders in or below which callers may go.
type allowedRoots []string

// allows reports whether the project lies where callers may go, by what the
// names really lead to. One that nobody knows ("") does not.
func (r allowedRoots) allows(project string) bool {
	if !filepath.IsAbs(project) {
		return false
	}
	for dir := resolved(project); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && slices.ContainsFunc(r, func(root string) bool {
			want, err := os.Stat(root)
			return err == nil && os.SameFile(info, want)
		}) {
			return true
		}
		if filepath.Dir(dir) == dir {
			return false
		}
	}
}

// resolved is path without links. The end of a path that does not exist stays as
// it is: that it does not is for the engine to say, where the caller may look.
func resolved(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if _, err := os.Lstat(path); err == nil || filepath.Dir(path) == path {
		return filepath.VolumeName(path) + string(filepath.Separator) // a link to nowhere is below nothing
	}
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}

// project refuses a folder that the caller names. One that is not well-formed is
// the engine's to refuse.
func (r allowedRoots) project(root string) error {
	if !filepath.IsAbs(root) || r.allows(root) {
		return nil
	}
	return fault.New(fault.Forbidden, "this server does not serve the folder that projectRoot names (server.project_roots)").
		With("reason", "project").WithHint("name a project in or below a folder of server.project_roots")
}

// session refuses a session that belongs to a project elsewhere, or whose project cannot be
// found out. The engine refuses one that is not there.
func (c confined) session(ctx context.Context, id string) error {
	rec, err := c.listed(ctx, id)
	if fault.Is(err, fault.SessionNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if c.roots.allows(rec.ProjectRoot) {
		return nil
	}
	return fault.New(fault.Forbidden, "the session belongs to a project that this server does not serve (server.project_roots)").
		With("reason", "project").WithHint("add the project's folder to server.project_roots")
}

// within calls the engine where the caller may go there.
func within[T any](refused error, call func() (T, error)) (T, error) {
	if refused != nil {
		var none T
		return none, refused
	}
	return call()
}

func (c confined) Start(ctx context.Context, r turn.Request) (turn.Stream, error) {
	return within(c.session(ctx, r.SessionID), func() (turn.Stream, error) { return c.engine.Start(ctx, r) })
}

func (c confined) Interrupt(ctx context.Context, id, turnID string) error {
	if err := c.session(ctx, id); err != nil {
		return err
	}
	return c.engine.Interrupt(ctx, id, turnID)
}

func (c confined) Events(ctx context.Context, id string, after int64, turnID string) (turn.Stream, error) {
	return within(c.session(ctx, id), func() (turn.Stream, error) { return c.engine.Events(ctx, id, after, turnID) })
}

func (c confined) Upload(ctx context.Context, u turn.Upload) (turn.Uploaded, error) {
	err := c.roots.project(u.ProjectRoot)
	if u.SessionID != "" {
		err = c.session(ctx, u.SessionID)
	}
	if err != nil {
		return turn.Uploaded{}, err
	}
	return c.engine.Upload(ctx, u)
}

func (c confined) Inspect(ctx context.Context, r turn.InspectRequest) ([]turn.Inspection, error) {
	err := c.roots.project(r.ProjectRoot)
	if r.SessionID != "" {
		err = c.session(ctx, r.SessionID)
	}
	if err != nil {
		return nil, err
	}
	return c.engine.Inspect(ctx, r)
}

func (c confined) Blob(ctx context.Context, id, sha256 string) (io.ReadCloser, attachment.Item, error) {
	if err := c.session(ctx, id); err != nil {
		return nil, attachment.Item{}, err
	}
	return c.engine.Blob(ctx, id, sha256)
}

func (c confined) Personas(ctx context.Context) ([]persona.Summary, error) {
	return c.engine.Personas(ctx)
}

func (c confined) Tools(ctx context.Context) ([]string, error) { return c.engine.Tools(ctx) }

func (c confined) Persona(ctx context.Context, name string) (persona.Persona, error) {
	return c.engine.Persona(ctx, name)
}

func (c confined) Steer(ctx context.Context, r turn.SteerRequest) error {
	if err := c.session(ctx, r.SessionID); err != nil {
		return err
	}
	return c.engine.Steer(ctx, r)
}

func (c confined) Inputs(ctx context.Context, id string) ([]session.Input, error) {
	return within(c.session(ctx, id), func() ([]session.Input, error) { return c.engine.Inputs(ctx, id) })
}

func (c confined) DropInput(ctx context.Context, id, inputID string) error {
	if err := c.session(ctx, id); err != nil {
		return err
	}
	return c.engine.DropInput(ctx, id, inputID)
}
