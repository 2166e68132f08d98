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
// bytes and permissions that it had before the first change of it. Changes are in
// the order in which they were made; those that were undone at once
// ([session.Change.Restored]) do not count. Root is the project.
//
// Every file is looked at first. Conflicts names, sorted, those that are not what
// the last change left, that something else changed between two of the changes,
// or that are behind a link now; then nothing is done. A [*LostError] says the
// same of a content that was not kept. On any other error what had been done is
// taken back.
func Revert(ctx context.Context, root *os.Root, blobs tool.Blobs, changes []session.Change) (conflicts []string, err error) {
	targets, conflicts := netChanges(changes)
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
		return slices.Compact(conflicts), nil
	}
	return nil, revertAll(ctx, root, targets)
}

// target is one file and what it is to be again.
type target struct {
	path        string
	first, last session.Change
	folders     int // made for it, from the file outwards
	data        []byte
}

// netChanges joins the changes of each file. A file that something else changed
// in between is a conflict.
func netChanges(changes []session.Change) (targets []target, conflicts []string) {
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
		if t.last.After != c.Before {
			conflicts = append(conflicts, c.Path)
		}
		t.last, t.folders = c, max(t.folders, c.Folders)
	}
	return targets, conflicts
}

// check reports whether the file is what the last change left, and gets what it
// is to be.
func (t *target) check(root *os.Root, blobs tool.Blobs) (bool, error) {
	if !filepath.IsLocal(filepath.FromSlash(t.path)) || path.Clean(t.path) != t.path {
		return false, fmt.Errorf("undo of %q: not a path of the project", t.path)
	}
	if t.first.Lost != "" {
		return false, &LostError{t.path, t.first.Lost}
	}
	if t.first.Before != "" {
		if err := t.load(blobs); err != nil {
			return false, err
		}
	}
	sha, mode, err := standing(root, t.path)
	if errors.Is(err, errMoved) || errors.Is(err, durable.ErrNotRegular) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("undo of %s: %w", t.path, err)
	}
	return sha == t.last.After && (sha == "" || t.last.AfterMode == 0 || mode == t.last.AfterMode), nil
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

// standing returns the hash and permissions of a file as it is, "" for no file:
// there is nothing of that name, or a folder, or a file where its folder was.
func standing(root *os.Root, name string) (sha string, mode fs.FileMode, err error) {
	folder, err := openFolder(root, path.Dir(name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errFile) {
		return "", 0, nil
	} else if err != nil {
		return "", 0, err
	}
	defer folder.Close()
	if info, err := folder.Lstat(path.Base(name)); err == nil && info.IsDir() {
		return "", 0, nil
	}
	f, info, err := openFile(folder, path.Base(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, nil
	} else if err != nil {
		return "", 0, err
	}
	defer f.Close()
	sha, err = hashOf(f)
	return sha, info.Mode().Perm(), err
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
		if t.first.Before == "" && t.last.After != "" {
			if err := u.remove(t); err != nil {
				return fmt.Errorf("undo of %s: %w", t.path, err)
			}
		}
	}
	for _, t := range targets {
		if t.first.Before == "" {
			u.removeFolders(t)
		}
	}
	for _, t := range targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.first.Before != "" && !t.unchanged() {
			if err := u.restore(t); err != nil {
				return fmt.Errorf("undo of %s: %w", t.path, err)
			}
		}
	}
	return nil
}

// unchanged reports whether the changes came to nothing.
func (t *target) unchanged() bool {
	return t.first.Before == t.last.After && (t.first.BeforeMode == t.last.AfterMode || t.last.AfterMode == 0)
}
