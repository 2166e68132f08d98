package registerfile

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Place is the folder of a deliverable that is worked on.
type Place struct {
	// ID is the deliverable's, Dir its folder relative to the project, with slashes.
	ID, Dir string
}

// Find returns the deliverables of a project that are worked on, sorted by folder:
// PKG-*/1_Working/DEL-*. Links are not followed; what can not be listed has none.
func Find(ctx context.Context, project *os.Root) ([]Place, error) {
	packages, err := folders(project, ".", layout.Package)
	if err != nil {
		return nil, fault.New(fault.WorkingRootInaccessible, "the project can not be listed").Because(err)
	}
	var all []Place
	for _, pkg := range packages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		working := pkg + "/" + layout.Working
		names, err := folders(project, working, layout.Deliverable)
		if err != nil {
			continue
		}
		for _, name := range names {
			all = append(all, Place{ID: layout.ParseName(name).ID, Dir: path.Join(working, name)})
		}
	}
	return all, nil
}

// folders are the names of the folders of a kind in a folder, sorted.
func folders(project *os.Root, dir string, kind layout.Kind) ([]string, error) {
	f, err := project.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil && len(entries) == 0 {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && layout.ParseName(e.Name()).Kind == kind {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Locate returns the folder of one deliverable, named by its id or its folder's
// name. None is DELIVERABLE_NOT_FOUND, several are INVALID_REQUEST.
func Locate(ctx context.Context, project *os.Root, name string) (Place, error) {
	all, err := Find(ctx, project)
	if err != nil {
		return Place{}, err
	}
	all = slices.DeleteFunc(all, func(p Place) bool { return p.ID != name && path.Base(p.Dir) != name })
	switch len(all) {
	case 1:
		return all[0], nil
	case 0:
		return Place{}, fault.New(fault.DeliverableNotFound, "no package has a deliverable %q in %s", finding.Shown(name), layout.Working).With("deliverable", finding.Shown(name))
	}
	dirs := make([]string, len(all))
	for i, p := range all {
		dirs[i] = p.Dir
	}
	return Place{}, fault.New(fault.InvalidRequest, "several folders are called %s: %s", finding.Shown(name), strings.Join(dirs, ", ")).
		With("paths", dirs).WithHint("name one of them by its folder's name")
}
