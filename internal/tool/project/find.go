package project

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"belay/internal/tool"
	"belay/internal/workspace"
	"belay/internal/workspace/index"
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

// find returns the deliverable that is worked on which a model names by its id, or
// by its folder.
func find(ctx context.Context, w *tool.Environment, set *index.Set, name string) (*scan.Folder, error) {
	s, err := current(ctx, w, set)
	if err != nil {
		return nil, err
	}
	name = strings.TrimSuffix(strings.TrimSpace(name), "/")
	var found []*scan.Folder
	for _, f := range s.Deliverables {
		if (strings.EqualFold(f.ID, name) || f.Key() == name || f.Base() == name || f.Path == name) && !w.Scope.Hidden(f.Path) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return nil, tool.Refuse("no deliverable that is worked on is called %s", clip(tool.Printable(name))).
			WithHint("list them with project.list")
	case 1:
		return found[0], nil
	}
	var paths []string
	for _, f := range found[:min(len(found), 10)] {
		paths = append(paths, tool.Printable(f.Path))
	}
	return nil, tool.Refuse("several deliverables are called %s", clip(tool.Printable(name))).
		WithHint("name one by its path: %s", strings.Join(paths, ", "))
}

// opened is the gate of a deliverable that was found.
func opened(w *tool.Environment, f *scan.Folder) (workspace.Deliverable, error) {
	d, err := workspace.FindDeliverable(w.Project, filepath.Join(w.Project, filepath.FromSlash(f.Path)))
	if err != nil {
		return workspace.Deliverable{}, explain(err)
	}
	return d, nil
}
