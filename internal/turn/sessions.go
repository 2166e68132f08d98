package turn

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"belay/internal/attachment"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/session"
)

// Defaults of a new session.
const (
	DefaultPersona = "WORKING_ITEMS"
	DefaultMode    = "direct"
)

// sessions manages records.
type sessions struct {
	store    *session.Store
	projects *projects
	leases   *leases
	// scratchDir has a folder for each session whose tools need one.
	scratchDir string
	updates
}

var _ Sessions = (*sessions)(nil)

// Create implements [Sessions]. Persona and mode are not checked against any
// list; an unknown persona fails at boot or turn (contract 1.3).
func (s *sessions) Create(ctx context.Context, r CreateRequest) (session.Record, error) {
	root, err := s.projects.check(r.ProjectRoot)
	if err != nil {
		return session.Record{}, err
	}
	persona := first(r.Persona, DefaultPersona)
	mode := first(r.Mode, DefaultMode)
	var bad []fault.Problem
	for _, f := range []struct{ name, value string }{{"persona", persona}, {"mode", mode}} {
		if !session.GoodName(f.value) {
			bad = append(bad, fault.Problem{Field: f.name, Message: session.NameRule})
		}
	}
	if s.redact.HoldsKey(r.Model) {
		bad = append(bad, fault.Problem{Field: "model", Message: holdsKey})
	}
	if err := fault.Invalid(bad); err != nil {
		return session.Record{}, err
	}
	return s.store.CreateFrom(ctx, session.Record{
		ProjectRoot: root, Persona: persona, Mode: mode, Title: r.Title, PreferredModel: r.Model, Pipeline: r.Pipeline,
	})
}

// List implements [Sessions].
func (s *sessions) List(ctx context.Context, projectRoot string) ([]session.Record, error) {
	root, err := s.projects.look(projectRoot)
	if err != nil {
		return nil, err
	}
	return s.store.List(ctx, root)
}

// ListPage implements [Sessions].
func (s *sessions) ListPage(ctx context.Context, projectRoot string, o session.ListOptions) (session.Page, error) {
	root, err := s.projects.look(projectRoot)
	if err != nil {
		return session.Page{}, err
	}
	return s.store.ListPage(ctx, root, o)
}

// Get implements [Sessions].
func (s *sessions) Get(ctx context.Context, id string) (session.Record, error) {
	return s.store.Get(ctx, id)
}

// Find implements [Sessions].
func (s *sessions) Find(ctx context.Context, prefix string) ([]session.Record, error) {
	return s.store.Find(ctx, prefix)
}

// Delete implements [Sessions]; a session whose turn runs is not deleted, nor one whose answer
// to a question is not carried out. What was decided for it, and its tools' own folder, go
// with it.
func (s *sessions) Delete(ctx context.Context, id string) error {
	if err := s.dead.mayEnd(ctx, id); err != nil {
		return err
	}
	err := s.leases.whenFree(ctx, id, func() error {
		if err := s.store.Delete(ctx, id); err != nil {
			return err
		}
		// The id is safe as a name: the store has just found it. A leftover is
		// swept with the scratch folder.
		_ = durable.RemoveTree(filepath.Join(s.scratchDir, id))
		return nil
	})
	if errors.Is(err, session.ErrBusy) {
		return s.leases.busyFor(id)
	}
	return err
}

// Transcript implements [Sessions].
func (s *sessions) Transcript(ctx context.Context, id string) ([]session.Entry, error) {
	return s.store.Transcript(ctx, id)
}

// Export implements [Sessions].
func (s *sessions) Export(ctx context.Context, id string, w io.Writer) ([]string, error) {
	return s.store.Archive.Export(ctx, id, w)
}

// Import implements [Sessions].
func (s *sessions) Import(ctx context.Context, projectRoot string, archive io.Reader) (session.Imported, error) {
	root, err := s.projects.check(projectRoot)
	if err != nil {
		return session.Imported{}, err
	}
	return s.store.Archive.Import(ctx, archive, root)
}

// Manifest implements [Sessions].
func (s *sessions) Manifest(ctx context.Context, id, turnID string) (session.Manifest, error) {
	entries, err := s.store.TurnEntries(ctx, id, turnID)
	if err != nil {
		return session.Manifest{}, err
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if m := entries[i].Manifest; m != nil && entries[i].Agent == "" && (turnID == "" || m.Turn == turnID) {
			whole := *m
			whole.Shown = shownIn(entries[i:], m.Turn)
			if whole.Attachments == nil {
				whole.Attachments = []session.Delivered{} // a list for programs, also where it is empty
			}
			return whole, nil
		}
	}
	return session.Manifest{}, fault.New(fault.NotFound, "session %s has no turn %q whose request was recorded", id, fault.Clip(turnID)).With("turn", fault.Clip(turnID)).
		WithHint("see its turns with belay session show %s", id)
}

// shownIn are the files that tools showed to the model in a turn.
func shownIn(entries []session.Entry, turnID string) (items []attachment.Item) {
	for _, e := range entries {
		if e.Turn != turnID {
			continue
		}
		for _, b := range e.Blocks {
			items = append(items, b.Items...)
		}
	}
	return items
}
