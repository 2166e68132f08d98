package snapshot

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/layout"
)

// MaxDifferences is how many paths of each kind [Compare] returns.
const MaxDifferences = 500

// Difference is what is not the same in a snapshot and in what it is compared with.
type Difference struct {
	// Added are only in the other, Removed only in the snapshot, Changed in both with
	// different bytes. Paths are relative to both.
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"`
	// Same is how many files are equal.
	Same int `json:"same"`
	// More is set where a list was cut.
	More bool `json:"more,omitempty"`
}

// Compare compares a snapshot with another one of its tool root, or, with other "", with
// what is loose in the tool root: what would be published from there now. Dir is the
// snapshot relative to root, with slashes. The manifest says what the snapshot held. Both
// are read; nothing is changed. It fails with NOT_FOUND where one is not there or has no
// manifest.
func Compare(ctx context.Context, root, dir, other string) (Difference, error) {
	project, err := workspace.OpenProject(root)
	if err != nil {
		return Difference{}, err
	}
	defer project.Close()
	was, err := manifestIn(project, dir)
	if err != nil {
		return Difference{}, err
	}
	tools := path.Dir(dir)
	var now map[string]string
	if other != "" {
		if !layout.IsSnapshot(other) {
			return Difference{}, fault.New(fault.InvalidRequest, "against must be the name of a snapshot in %s", tools).With("field", "against")
		}
		now, err = manifestIn(project, path.Join(tools, other))
	} else {
		now, err = looseIn(ctx, project, tools)
	}
	if err != nil {
		return Difference{}, err
	}
	return difference(was, now), nil
}

func difference(was, now map[string]string) Difference {
	d := Difference{Added: []string{}, Removed: []string{}, Changed: []string{}}
	for name, sum := range was {
		switch is, there := now[name]; {
		case !there:
			d.Removed = append(d.Removed, name)
		case is != sum:
			d.Changed = append(d.Changed, name)
		default:
			d.Same++
		}
	}
	for name := range now {
		if _, there := was[name]; !there {
			d.Added = append(d.Added, name)
		}
	}
	for _, list := range []*[]string{&d.Added, &d.Removed, &d.Changed} {
		slices.Sort(*list)
		if len(*list) > MaxDifferences {
			*list, d.More = (*list)[:MaxDifferences], true
		}
	}
	return d
}

// manifestIn are the checksums of a snapshot's files.
func manifestIn(project *os.Root, dir string) (map[string]string, error) {
	absent := func(what string, err error) error {
		return fault.New(fault.NotFound, "%q %s", fault.Clip(dir), what).With("path", fault.Clip(dir)).
			WithHint("list the snapshots with belay snapshot list").Because(err)
	}
	folder, err := durable.OpenFolder(project, dir)
	if err != nil {
		return nil, absent("is no snapshot of the project", err)
	}
	defer folder.Close()
	data, _, err := durable.ReadFile(folder, ManifestFile, maxManifest)
	if err != nil {
		return nil, absent("has no manifest to compare with", err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if f, ok := readEntry(strings.TrimSuffix(line, "\n")); ok {
			all[f.Path] = f.SHA256
		}
	}
	return all, nil
}

// looseIn are the checksums of what is loose in a tool root.
func looseIn(ctx context.Context, project *os.Root, tools string) (map[string]string, error) {
	folder, err := durable.OpenFolder(project, tools)
	if err != nil {
		return nil, fault.New(fault.NotFound, "%q is no folder of the project", fault.Clip(tools)).With("path", fault.Clip(tools)).
			WithHint("name it relative to the project, with slashes").Because(err)
	}
	defer folder.Close()
	files, err := List(ctx, Options{MaxFiles: MaxFiles}, Source{Root: folder, Loose: true})
	var refused *fault.Error
	if err != nil && (!errors.As(err, &refused) || refused.Details["field"] != "from") { // that is: nothing is loose
		return nil, err
	}
	all := map[string]string{}
	for _, f := range files {
		sum, err := sumOf(ctx, folder, f.Path)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			sum = "unreadable"
		case err != nil:
			continue // it went away meanwhile
		}
		all[f.Path] = sum
	}
	return all, nil
}
