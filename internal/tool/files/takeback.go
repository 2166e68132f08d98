package files

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/journal"
)

// back are the changes that take targets back. Files that are to go do so first,
// the deepest first, so that a folder can become a file again and a file a folder. Folders
// that are opened come before all else, folders that are closed after it.
func back(root *os.Root, targets []target) []journal.Change {
	slices.SortStableFunc(targets, func(a, b target) int {
		return cmp.Or(cmp.Compare(depth(b.path), depth(a.path)), cmp.Compare(a.path, b.path))
	})
	stays := map[string]bool{} // folders that there were before
	for _, t := range targets {
		stays[t.path] = stays[t.path] || t.wasFolder()
	}
	var all []journal.Change
	going, made := map[string]bool{}, map[string]bool{}
	for _, t := range targets {
		if t.first.Before != "" {
			continue
		}
		if !t.done && t.last.After != "" {
			all = append(all, journal.Change{Op: journal.Remove, Path: journal.Name(t.path), Before: replaced(t.now)})
		}
		for _, dir := range t.made() {
			made[dir] = true
			if info, err := root.Lstat(dir); err == nil && info.IsDir() && !stays[dir] {
				going[dir] = true
			}
		}
	}
	for _, t := range targets {
		if !t.done && t.first.Before != "" && t.now.Type == journal.Folder {
			going[t.path] = true // the file's name went to a folder
		}
	}
	for _, dir := range slices.SortedFunc(maps.Keys(going), func(a, b string) int {
		return cmp.Or(cmp.Compare(depth(b), depth(a)), cmp.Compare(a, b))
	}) {
		all = append(all, journal.Change{Op: journal.Rmdir, Path: journal.Name(dir), Before: journal.State{Type: journal.Folder}, IfEmpty: true})
	}
	needed := map[string]bool{}
	var open, closed []journal.Change
	for _, t := range slices.Backward(targets) { // the outermost first
		switch {
		case t.hadMade && t.now.Type == journal.Folder && t.now.Mode.Perm()&0o300 != 0o300:
			open = append(open, t.permissions()) // what is in it is to go
		case !t.wasFolder():
		case t.now.Type != journal.Folder:
			all = append(append(all, around(root, t.path, going, needed)...), journal.Change{
				// One that its owner could not enter could not be filled.
				Op: journal.Mkdir, Path: journal.Name(t.path), After: journal.State{Type: journal.Folder, Mode: t.first.BeforeMode.Perm() | 0o700},
			})
			needed[t.path] = true
		case t.now.Mode.Perm() == t.first.BeforeMode.Perm() || t.done && !made[t.path]:
		case t.now.Mode.Perm()&0o300 != 0o300:
			open = append(open, t.permissions())
		default:
			closed = append(closed, t.permissions())
		}
	}
	for _, t := range targets {
		if !t.done && t.first.Before != "" {
			all = append(append(all, around(root, t.path, going, needed)...), t.restore())
		}
	}
	slices.Reverse(closed) // the innermost first
	return slices.Concat(open, all, closed)
}

// permissions is the change that gives a folder its old ones.
func (t *target) permissions() journal.Change {
	return journal.Change{
		Op: journal.Mode, Path: journal.Name(t.path),
		Before: journal.State{Type: journal.Folder, Mode: t.now.Mode.Perm()},
		After:  journal.State{Type: journal.Folder, Mode: t.first.BeforeMode.Perm()},
	}
}

func depth(name string) int { return strings.Count(name, "/") }

// around makes the folders that a path needs, the outermost first: those that are
// missing or are about to go. Needed are those that were dealt with.
func around(root *os.Root, name string, going, needed map[string]bool) (all []journal.Change) {
	parts := partsOf(path.Dir(name))
	for i := range parts {
		dir := path.Join(parts[:i+1]...)
		if info, err := root.Lstat(dir); needed[dir] || err == nil && info.IsDir() && !going[dir] {
			continue
		}
		needed[dir] = true
		all = append(all, journal.Change{Op: journal.Mkdir, Path: journal.Name(dir), After: journal.State{Type: journal.Folder}})
	}
	return all
}

// restore is the change that gives a file its old content and permissions.
func (t *target) restore() journal.Change {
	c := journal.Change{Path: journal.Name(t.path), Before: replaced(t.now)}
	mode := t.first.BeforeMode
	switch {
	case mode&fs.ModeSymlink != 0:
		c.Op, c.After = journal.Symlink, journal.State{Type: journal.Link, Target: journal.Name(t.link)}
		return c
	case c.Before.Type == journal.File && t.now.SHA256 == t.first.Before:
		c.Op, c.After = journal.Mode, journal.State{Type: journal.File, SHA256: t.now.SHA256, Mode: mode.Perm()}
		return c
	case c.Before.Type == journal.None:
		c.Op = journal.Create
	default:
		c.Op = journal.Replace
	}
	c.After = journal.State{Type: journal.File, SHA256: t.first.Before, Mode: mode.Perm()}
	c.Content = t.kept.Open
	return c
}
