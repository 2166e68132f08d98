package project

import (
	"context"
	"errors"
	"path/filepath"

	"belay/internal/fault"
	"belay/internal/tool"
	"belay/internal/workspace"
	"belay/internal/workspace/index"
	"belay/internal/workspace/resolve"
	"belay/internal/workspace/scan"
)

// current is what the project holds now.
func current(ctx context.Context, w *tool.Environment, set *index.Set) (*index.Snapshot, error) {
	s, err := set.Current(ctx, w.Project)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, index.ErrClosed):
		return nil, err
	case err != nil:
		return nil, tool.Refuse("the project cannot be listed now").WithHint("look with the tool list").Because(err)
	}
	return s, nil
}

// find returns the deliverable that is worked on and that a model names.
func find(ctx context.Context, w *tool.Environment, set *index.Set, name string) (*scan.Folder, error) {
	s, err := current(ctx, w, set)
	if err != nil {
		return nil, err
	}
	f, err := resolve.In(w.Project, s.Result, w.Scope.Hidden).Deliverable(name)
	if err != nil {
		return nil, unnamed(err)
	}
	return f, nil
}

// unnamed is the refusal of a name, with a next step that a model can take.
func unnamed(err error) error {
	f := fault.From(err)
	if f.Details["nearest"] == nil && f.Details["candidates"] == nil {
		f = f.WithHint("list them with project.list")
	}
	return tool.Refuse("%s", tool.Printable(f.Message)).WithHint("%s", tool.Printable(f.Hint)).Because(err)
}

// opened is the gate of a deliverable that was found.
func opened(w *tool.Environment, f *scan.Folder) (workspace.Deliverable, error) {
	d, err := workspace.FindDeliverable(w.Project, filepath.Join(w.Project, filepath.FromSlash(f.Path)))
	if err != nil {
		return workspace.Deliverable{}, explain(err)
	}
	return d, nil
}
