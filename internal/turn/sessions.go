package turn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/session"
)

// Defaults of a new session.
const (
	defaultPersona = "WORKING_ITEMS"
	defaultMode    = "direct"
)

// Create implements [Engine]. Persona and mode are not checked against any
// list; an unknown persona fails at boot or turn (contract 1.3).
func (l *Local) Create(ctx context.Context, r CreateRequest) (session.Record, error) {
	root, err := l.projects.check(r.ProjectRoot)
	if err != nil {
		return session.Record{}, err
	}
	persona := first(r.Persona, defaultPersona)
	mode := first(r.Mode, defaultMode)
	var bad []fault.Problem
	for _, f := range []struct{ name, value string }{{"persona", persona}, {"mode", mode}} {
		if !session.GoodName(f.value) {
			bad = append(bad, fault.Problem{Field: f.name, Message: session.NameRule})
		}
	}
	if err := fault.Invalid(bad); err != nil {
		return session.Record{}, err
	}
	return l.o.Store.CreateTitled(ctx, root, persona, mode, r.Title)
}

// List implements [Engine].
func (l *Local) List(ctx context.Context, projectRoot string) ([]session.Record, error) {
	root, err := l.projects.check(projectRoot)
	if err != nil {
		return nil, err
	}
	return l.o.Store.List(ctx, root)
}

// ListPage implements [Engine].
func (l *Local) ListPage(ctx context.Context, projectRoot string, o session.ListOptions) (session.Page, error) {
	root, err := l.projects.check(projectRoot)
	if err != nil {
		return session.Page{}, err
	}
	return l.o.Store.ListPage(ctx, root, o)
}

// Get implements [Engine].
func (l *Local) Get(ctx context.Context, id string) (session.Record, error) {
	return l.o.Store.Get(ctx, id)
}

// Find implements [Engine].
func (l *Local) Find(ctx context.Context, prefix string) ([]session.Record, error) {
	return l.o.Store.Find(ctx, prefix)
}

// Delete implements [Engine]; a session whose turn runs is not deleted. What was
// decided for it, and its tools' own folder, go with it.
func (l *Local) Delete(ctx context.Context, id string) error {
	err := l.leases.whenFree(ctx, id, func() error {
		if err := l.o.Store.Delete(ctx, id); err != nil {
			return err
		}
		// The id is safe as a name: the store has just found it. A leftover is
		// swept with the scratch folder.
		_ = os.RemoveAll(filepath.Join(l.o.ScratchDir, id))
		return nil
	})
	if errors.Is(err, session.ErrBusy) {
		return session.Busy(id)
	}
	return err
}

// Transcript implements [Engine].
func (l *Local) Transcript(ctx context.Context, id string) ([]session.Entry, error) {
	return l.o.Store.Transcript(ctx, id)
}

// Manifest implements [Engine].
func (l *Local) Manifest(ctx context.Context, id, turnID string) (session.Manifest, error) {
	entries, err := l.o.Store.TurnEntries(ctx, id, turnID)
	if err != nil {
		return session.Manifest{}, err
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if m := entries[i].Manifest; m != nil && entries[i].Agent == "" && (turnID == "" || m.Turn == turnID) {
			whole := *m
			whole.Shown = shownIn(entries[i:], m.Turn)
			return whole, nil
		}
	}
	return session.Manifest{}, fault.New(fault.NotFound, "session %s has no turn %q whose request was recorded", id, turnID).With("turn", turnID)
}

// notStored reports that the store has no such blob.
func notStored(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || fault.Is(err, fault.NotFound)
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
