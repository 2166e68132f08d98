package shell

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/tool/shell/kept"
)

// conflicts are those of changes whose path something else has changed since the
// command began. What an earlier change removes does not hinder a later one of the path.
func conflicts(ctx context.Context, root *os.Root, r kept.Record, changes []journal.Change) (all []journal.Conflict, err error) {
	removed := map[journal.Name]bool{}
	for i := range changes {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		s := &changes[i]
		is := slices.Contains(r.Conflicts, string(s.Path))
		if !is && !removed[s.Path] {
			now, err := journal.Look(root, s.Path, s.Before.SHA256 != "")
			if err != nil {
				return nil, err
			}
			is = !isBefore(&now, s)
		}
		if is {
			all = append(all, journal.Conflict{Path: s.Path, Reason: "was changed by something else"})
		}
		removed[s.Path] = s.After.Type == journal.None
	}
	return all, nil
}

// AreReal reports whether every path of a project is as the changes leave it.
func AreReal(ctx context.Context, root *os.Root, changes []journal.Change) (bool, error) {
	made := map[journal.Name]bool{}
	for i := range changes {
		made[changes[i].Path] = made[changes[i].Path] || changes[i].After.Type != journal.None
	}
	for i := range changes {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		c := &changes[i]
		if c.After.Type == journal.None && made[c.Path] {
			continue // a later change makes something else there
		}
		now, err := journal.Look(root, c.Path, c.After.SHA256 != "")
		if err != nil {
			return false, err
		}
		if !same(&now, &c.After) && (!c.IfEmpty || now.Type != journal.Folder || isEmpty(root, string(c.Path))) {
			return false, nil
		}
		if c.Tree != nil {
			if is, err := journal.LookTree(root, c.Path); err != nil || is != *c.Tree {
				return false, nil // what is there is something else, whatever the error is
			}
		}
	}
	return true, nil
}

// isEmpty reports whether a folder is empty, and can be read.
func isEmpty(root *os.Root, name string) bool {
	folder, err := durable.OpenFolder(root, name)
	if err != nil {
		return false
	}
	defer folder.Close()
	in, err := fs.ReadDir(folder.FS(), ".")
	return err == nil && len(in) == 0
}

// isBefore reports whether a path is as a change was reviewed for.
func isBefore(now *journal.State, c *journal.Change) bool {
	switch {
	case now.Type == journal.None && (c.Op == journal.Remove || c.Op == journal.Rmdir):
		return true
	case now.Type == journal.Folder && c.Op == journal.Mkdir:
		return true
	}
	return same(now, &c.Before)
}

// same reports whether a path is as a state says.
func same(now, want *journal.State) bool {
	switch {
	case now.Type != want.Type, now.Target != want.Target:
		return false
	case want.SHA256 != "" && now.SHA256 != want.SHA256:
		return false
	}
	return want.Type == journal.None || want.Type == journal.Link || want.Mode == 0 || now.Mode.Perm() == want.Mode.Perm()
}

func readFile(root *os.Root, name string) ([]byte, error) {
	f, err := durable.OpenInside(root, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}
