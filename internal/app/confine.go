package app

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/attachment"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// projectRoots are the folders in or below which callers of a server may name a
// project; nil is no bound. On an address that other machines reach, a server
// that is given none serves its own project alone.
func projectRoots(cfg *config.Config) []string {
	switch {
	case len(cfg.Server.ProjectRoots) > 0:
		return cfg.Server.ProjectRoots
	case cfg.Loopback():
		return nil
	}
	return []string{projectFolder(cfg)}
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
	roots  []string
}

var _ turn.Engine = confined{}

// allows reports whether the project lies where callers may go, by what the
// names really lead to.
func (c confined) allows(project string) bool {
	for dir := resolved(project); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && slices.ContainsFunc(c.roots, func(root string) bool {
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
func (c confined) project(root string) error {
	if !filepath.IsAbs(root) || c.allows(root) {
		return nil
	}
	return fault.New(fault.Forbidden, "this server does not serve the folder that projectRoot names (server.project_roots)").
		With("reason", "project").WithHint("name a project in or below a folder of server.project_roots")
}

// session refuses one that belongs to a project elsewhere. One that cannot be
// loaded is the engine's to refuse.
func (c confined) session(ctx context.Context, id string) error {
	rec, err := c.engine.Get(ctx, id)
	if err != nil || c.allows(rec.ProjectRoot) {
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

func (c confined) Boot(ctx context.Context, r turn.BootRequest) (turn.BootResult, error) {
	return within(c.session(ctx, r.SessionID), func() (turn.BootResult, error) { return c.engine.Boot(ctx, r) })
}

func (c confined) Events(ctx context.Context, id string, after int64, turnID string) (turn.Stream, error) {
	return within(c.session(ctx, id), func() (turn.Stream, error) { return c.engine.Events(ctx, id, after, turnID) })
}

func (c confined) Create(ctx context.Context, r turn.CreateRequest) (session.Record, error) {
	return within(c.project(r.ProjectRoot), func() (session.Record, error) { return c.engine.Create(ctx, r) })
}

func (c confined) List(ctx context.Context, projectRoot string) ([]session.Record, error) {
	return within(c.project(projectRoot), func() ([]session.Record, error) { return c.engine.List(ctx, projectRoot) })
}

func (c confined) ListPage(ctx context.Context, projectRoot string, o session.ListOptions) (session.Page, error) {
	return within(c.project(projectRoot), func() (session.Page, error) { return c.engine.ListPage(ctx, projectRoot, o) })
}

func (c confined) Get(ctx context.Context, id string) (session.Record, error) {
	return within(c.session(ctx, id), func() (session.Record, error) { return c.engine.Get(ctx, id) })
}

// Find implements [turn.Engine]. Sessions elsewhere are not found.
func (c confined) Find(ctx context.Context, prefix string) ([]session.Record, error) {
	recs, err := c.engine.Find(ctx, prefix)
	return slices.DeleteFunc(recs, func(r session.Record) bool { return !c.allows(r.ProjectRoot) }), err
}

func (c confined) Delete(ctx context.Context, id string) error {
	if err := c.session(ctx, id); err != nil {
		return err
	}
	return c.engine.Delete(ctx, id)
}

func (c confined) Update(ctx context.Context, id string, change turn.SessionChange) (session.Record, error) {
	return within(c.session(ctx, id), func() (session.Record, error) { return c.engine.Update(ctx, id, change) })
}

func (c confined) Transcript(ctx context.Context, id string) ([]session.Entry, error) {
	return within(c.session(ctx, id), func() ([]session.Entry, error) { return c.engine.Transcript(ctx, id) })
}

func (c confined) Export(ctx context.Context, id string, w io.Writer) error {
	if err := c.session(ctx, id); err != nil {
		return err
	}
	return c.engine.Export(ctx, id, w)
}

func (c confined) Import(ctx context.Context, projectRoot string, archive io.Reader) (session.Imported, error) {
	return within(c.project(projectRoot), func() (session.Imported, error) { return c.engine.Import(ctx, projectRoot, archive) })
}

func (c confined) Manifest(ctx context.Context, id, turnID string) (session.Manifest, error) {
	return within(c.session(ctx, id), func() (session.Manifest, error) { return c.engine.Manifest(ctx, id, turnID) })
}

// Usage implements [turn.Engine]. Projects elsewhere are left out.
func (c confined) Usage(ctx context.Context, since time.Time) ([]turn.UsageRow, error) {
	rows, err := c.engine.Usage(ctx, since)
	return slices.DeleteFunc(rows, func(r turn.UsageRow) bool { return !c.allows(r.ProjectRoot) }), err
}

func (c confined) Upload(ctx context.Context, u turn.Upload) (turn.Uploaded, error) {
	err := c.project(u.ProjectRoot)
	if u.SessionID != "" {
		err = c.session(ctx, u.SessionID)
	}
	if err != nil {
		return turn.Uploaded{}, err
	}
	return c.engine.Upload(ctx, u)
}

func (c confined) Inspect(ctx context.Context, r turn.InspectRequest) ([]turn.Inspection, error) {
	err := c.project(r.ProjectRoot)
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

// Decisions implements [turn.Engine]. Those of projects elsewhere are left out.
func (c confined) Decisions(ctx context.Context, sessionID string) ([]permit.Request, error) {
	if sessionID != "" {
		if err := c.session(ctx, sessionID); err != nil {
			return nil, err
		}
	}
	open, err := c.engine.Decisions(ctx, sessionID)
	return slices.DeleteFunc(open, func(r permit.Request) bool { return !c.allows(r.ProjectRoot) }), err
}

// Question implements [turn.Engine]. One of a project elsewhere is not found.
func (c confined) Question(ctx context.Context, id string) (permit.Question, error) {
	q, err := c.engine.Question(ctx, id)
	switch {
	case err != nil:
		return q, err
	case q.Open != nil && c.allows(q.Open.ProjectRoot), q.Closed != nil && c.allowsClosed(*q.Closed):
		return q, nil
	}
	return permit.Question{}, fault.New(fault.NotFound, "there is no question %q", id).With("decisionId", id)
}

// Closed implements [turn.Engine]. Those of projects elsewhere are left out.
func (c confined) Closed(ctx context.Context, sessionID string, most int) ([]permit.Closed, error) {
	if sessionID != "" {
		return within(c.session(ctx, sessionID), func() ([]permit.Closed, error) { return c.engine.Closed(ctx, sessionID, most) })
	}
	all, err := c.engine.Closed(ctx, sessionID, most)
	return slices.DeleteFunc(all, func(d permit.Closed) bool { return !c.allowsClosed(d) }), err
}

// allowsClosed is allows for a question that was answered. Records of older versions do
// not say in which project it was asked.
func (c confined) allowsClosed(d permit.Closed) bool {
	return d.ProjectRoot != "" && c.allows(d.ProjectRoot)
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

// Decide implements [turn.Engine]. The session must be named: without it, nobody
// knows whose question that is.
func (c confined) Decide(ctx context.Context, r turn.DecisionRequest) (permit.Decision, error) {
	if r.SessionID == "" {
		return permit.Decision{}, fault.Invalid([]fault.Problem{{Field: "sessionId", Message: "is required"}})
	}
	if err := c.session(ctx, r.SessionID); err != nil {
		return permit.Decision{}, err
	}
	return c.engine.Decide(ctx, r)
}

func (c confined) Changes(ctx context.Context, sessionID, turnID string) ([]changes.ChangeSet, error) {
	return within(c.session(ctx, sessionID), func() ([]changes.ChangeSet, error) { return c.engine.Changes(ctx, sessionID, turnID) })
}

func (c confined) Undo(ctx context.Context, r changes.UndoRequest) (changes.UndoResult, error) {
	return within(c.session(ctx, r.SessionID), func() (changes.UndoResult, error) { return c.engine.Undo(ctx, r) })
}

// Fork implements [turn.Engine]. The new session belongs to the same project.
func (c confined) Fork(ctx context.Context, r changes.ForkRequest) (session.Record, error) {
	return within(c.session(ctx, r.SessionID), func() (session.Record, error) { return c.engine.Fork(ctx, r) })
}

func (c confined) Kept(ctx context.Context, projectRoot string) ([]changes.KeptChange, error) {
	return within(c.project(projectRoot), func() ([]changes.KeptChange, error) { return c.engine.Kept(ctx, projectRoot) })
}

func (c confined) KeptChange(ctx context.Context, projectRoot, id string) (changes.KeptChange, error) {
	return within(c.project(projectRoot), func() (changes.KeptChange, error) { return c.engine.KeptChange(ctx, projectRoot, id) })
}

func (c confined) ApplyKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error) {
	return within(c.project(r.ProjectRoot), func() (changes.KeptResult, error) { return c.engine.ApplyKept(ctx, r) })
}

func (c confined) DropKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error) {
	return within(c.project(r.ProjectRoot), func() (changes.KeptResult, error) { return c.engine.DropKept(ctx, r) })
}
