package cli

import (
	"context"
	"path/filepath"

	"belay/internal/workspace"
	"belay/internal/workspace/resolve"
	"belay/internal/workspace/scan"
)

// deliverableNamed is the folder of the deliverable that a person names.
func deliverableNamed(ctx context.Context, root, name string) (workspace.Deliverable, error) {
	found, err := scan.Scan(ctx, root, scan.Options{NamesOnly: true})
	if err != nil {
		return workspace.Deliverable{}, err
	}
	f, err := folderNamed(root, found, name)
	if err != nil {
		return workspace.Deliverable{}, err
	}
	return workspace.FindDeliverable(root, filepath.Join(root, filepath.FromSlash(f.Path)))
}

// folderNamed is the deliverable that a person names. A folder may be named from the current one.
func folderNamed(root string, found *scan.Result, name string) (*scan.Folder, error) {
	known := resolve.In(root, found, nil)
	if here, err := filepath.Abs(name); err == nil && isFolder(here) {
		if f, err := known.Deliverable(here); err == nil {
			return f, nil
		}
	}
	return known.Deliverable(name)
}
