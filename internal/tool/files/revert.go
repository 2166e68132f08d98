package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/session"
	"belay/internal/tool"
)

// LostError says that a change cannot be taken back because what was there before
// was not kept.
type LostError struct{ Path, Reason string }

// Error implements error.
func (e *LostError) Error() string {
	return fmt.Sprintf("%s cannot be taken back: %s", e.Path, e.Reason)
}

// Revert takes changes back, all of them or none: afterwards every file has the
// bytes and permissions that it had before the first change of it, and folders
// that were made are gone where they are empty. Changes are in the order in which
// they were made; those that were undone at once ([session.Change.Restored]) do
// not count. Root is the project, which the caller has entered with pass, so that
// nobody of belay changes a file meanwhile.
//
// Every file is looked at first. One that is as it was before already is fine:
// somebody has put it back, or a Revert was cut off. Conflicts names, sorted,
// those that are neither that nor what the last change left, that something else
// changed between two of the changes, or that are behind a link now; then nothing
// is done. A [*LostError] says the same of a content that was not kept. On any
// other error what had been done is taken back.
//
// Each file is replaced in one step. So whenever the process dies, each is as it
// was before the changes or after them, and the next Revert does the rest.
func Revert(ctx context.Context, root *os.Root, blobs tool.Blobs, changes []session.Change, pass tool.Pass) (conflicts []string, err error) {
	targets := netChanges(changes)
	for i := range targets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		same, err := targets[i].check(root, blobs)
		if err != nil {
			return nil, err
		}
		if !same {
			conflicts = append(conflicts, targets[i].path)
		}
	}
	if len(conflicts) > 0 {
		slices.Sort(conflicts)
		return conflicts, nil
	}
	if err := pass.Tell(reversed(targets)...); err != nil {
		return nil, err
	}
	return nil, revertAll(ctx, root, targets)
}

// reversed are the changes that a revert makes, as others are told of them.
func reversed(targets []target) (back []session.Change) {
	for _, t := range targets {
		back = append(back, session.Change{
			Path: t.path, Before: t.last.After, BeforeMode: t.last.AfterMode, BeforeBytes: t.last.AfterBytes,
			After: t.first.Before, AfterMode: t.first.BeforeMode, AfterBytes: t.first.BeforeBytes,
		})
		for _, dir := range t.made() {
			back = append(back, session.Change{Path: dir, BeforeMode: fs.ModeDir})
		}
	}
	return back
}

// target is one file and what it is to be again.
type target struct {
	path        string
	first, last session.Change
	folders     int // made for it, from the file outwards
	// broken is set where something else changed it in between, done where it is
	// as it was already.
	broken, done bool
	data         []byte
}

// netChanges joins the changes of each file.
func netChanges(changes []session.Change) (targets []target) {
	index := map[string]int{}
	for _, c := range changes {
		if c.Restored {
			continue
		}
		i, again := index[c.Path]
		if !again {
			index[c.Path] = len(targets)
			targets = append(targets, target{path: c.Path, first: c, last: c, folders: c.Folders})
			continue
		}
		t := &targets[i]
		t.broken = t.broken || t.last.After != c.Before
		t.last, t.folders = c, max(t.folders, c.Folders)
	}
	return targets
}

// made are the folders that were made for the target, the innermost first: with
// itself where it is one.
func (t *target) made() (dirs []string) {
	dir, n := path.Dir(t.path), t.folders
	if t.first.AfterMode.IsDir() {
		dir, n = t.path, n+1
	}
	for ; n > 0 && dir != "."; n-- {
		dirs = append(dirs, dir)
		dir = path.Dir(dir)
	}
	return dirs
}

// check reports whether the file is what the last change left, or is done, and
// gets what it is to be.
func (t *target) check(root *os.Root, blobs tool.Blobs) (bool, error) {
	if !filepath.IsLocal(filepath.FromSlash(t.path)) || path.Clean(t.path) != t.path {
		return false, fmt.Errorf("undo of %q: not a path of the project", t.path)
	}
	now, err := standing(root, t.path)
	if errors.Is(err, errMoved) || errors.Is(err, durable.ErrNotRegular) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("undo of %s: %w", t.path, err)
	}
	lost := t.first.Lost != "" && t.first.Before == "" // nobody knows what it was
	if t.done = !lost && now.is(t.first.Before, t.first.BeforeMode); t.done {
		return true, nil
	}
	if t.broken || !now.is(t.last.After, t.last.AfterMode) {
		return false, nil
	}
	if t.first.Lost != "" {
		return false, &LostError{t.path, t.first.Lost}
	}
	if t.first.Before != "" {
		return true, t.load(blobs)
	}
	return true, nil
}

// load gets the content before and makes sure that it is that.
func (t *target) load(blobs tool.Blobs) error {
	content, err := blobs.Content(t.first.Before)
	if errors.Is(err, session.ErrNoBlob) {
		return &LostError{t.path, "its content is not kept any more"}
	} else if err != nil {
		return fmt.Errorf("undo of %s: %w", t.path, err)
	}
	r, err := content.Open()
	if err != nil {
		return fmt.Errorf("undo of %s: %w", t.path, err)
	}
	defer r.Close()
	if t.data, err = io.ReadAll(io.LimitReader(r, t.first.BeforeBytes+1)); err != nil {
		return fmt.Errorf("undo of %s: %w", t.path, err)
	}
	if digest(t.data) != t.first.Before {
		return &LostError{t.path, "what was kept of it is damaged"}
	}
	return nil
}

// stands is a file as it is: the hash of its content, or of where it leads if it
// is a link, "" for no file.
type stands struct {
	sha  string
	mode fs.FileMode
}

// is reports whether that is what a record says. Permissions that it does not know
// do not count, and those of a link mean nothing.
func (s stands) is(sha string, mode fs.FileMode) bool {
	switch {
	case s.sha != sha:
		return false
	case sha == "" || mode == 0:
		return true
	}
	return s.mode.Type() == mode.Type() && (s.mode.Perm() == mode.Perm() || mode&fs.ModeSymlink != 0)
}

// standing looks at a file. There is none where there is nothing of that name, or
// a folder, or a file where its folder was.
func standing(root *os.Root, name string) (stands, error) {
	folder, err := openFolder(root, path.Dir(name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errFile) {
		return stands{}, nil
	} else if err != nil {
		return stands{}, err
	}
	defer folder.Close()
	base := path.Base(name)
	switch info, err := folder.Lstat(base); {
	case err == nil && info.IsDir():
		return stands{}, nil
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		leads, err := folder.Readlink(base)
		return stands{digest([]byte(leads)), info.Mode()}, err
	}
	f, info, err := openFile(folder, base)
	if errors.Is(err, fs.ErrNotExist) {
		return stands{}, nil
	} else if err != nil {
		return stands{}, err
	}
	defer f.Close()
	sha, err := hashOf(f)
	return stands{sha, info.Mode()}, err
}

// revertAll does what was checked. Files that are to go do so first, the deepest
// first, so that a folder can become a file again and a file a folder.
func revertAll(ctx context.Context, root *os.Root, targets []target) (err error) {
	u, err := newUndoing(root)
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	defer func() { err = u.finish(err) }()
	slices.SortStableFunc(targets, func(a, b target) int {
		return cmp.Or(cmp.Compare(strings.Count(b.path, "/"), strings.Count(a.path, "/")), cmp.Compare(a.path, b.path))
	})
	for _, t := range targets {
		if !t.done && t.first.Before == "" && t.last.After != "" {
			if err := u.remove(t); err != nil {
				return fmt.Errorf("undo of %s: %w", t.path, err)
			}
		}
	}
	for _, t := range targets {
		if t.first.Before == "" {
			u.removeFolders(t.made())
		}
	}
	for _, t := range targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !t.done && t.first.Before != "" {
			if err := u.restore(t); err != nil {
				return fmt.Errorf("undo of %s: %w", t.path, err)
			}
		}
	}
	return nil
}
