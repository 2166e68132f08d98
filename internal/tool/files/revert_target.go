package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"belay/internal/attachment"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
)

// target is one file and what it is to be again.
type target struct {
	path        string
	first, last session.Change
	folders     int // made for it, from the file outwards
	// isNew is set where it was a folder at some time that was not there before, hadMade where
	// it was made before the first change of it, around what was to be in it.
	isNew, hadMade bool
	// broken is set where something else changed it in between, done where it is
	// as it was already.
	broken, done bool
	// replaced is set where a folder above it is a link now, of which the changes made it.
	replaced bool
	now      journal.State
	// kept is what it is to be, nil for nothing, link where it is to lead.
	kept attachment.Content
	link string
}

// netChanges joins the changes of each file.
func netChanges(changes []session.Change) (targets []target) {
	index, made := map[string]int{}, map[string]bool{}
	for _, c := range changes {
		if c.Restored {
			continue
		}
		for dir, n := path.Dir(c.Path), c.Folders; n > 0 && dir != "."; dir, n = path.Dir(dir), n-1 {
			if _, known := index[dir]; !known {
				made[dir] = true
			}
		}
		i, again := index[c.Path]
		if !again {
			index[c.Path] = len(targets)
			targets = append(targets, target{path: c.Path, first: c, last: c, folders: c.Folders, isNew: newFolder(c), hadMade: made[c.Path]})
			continue
		}
		t := &targets[i]
		t.isNew = t.isNew || newFolder(c)
		twice := t.last.Removes() && c.Removes() && t.last.Before == c.Before // it was gone when it was to go again
		t.broken = t.broken || t.last.After != c.Before && !twice
		t.last, t.folders = c, max(t.folders, c.Folders)
	}
	return targets
}

func newFolder(c session.Change) bool { return c.AfterMode.IsDir() && !c.BeforeMode.IsDir() }

// wasFolder reports whether a folder stood there before the first change.
func (t *target) wasFolder() bool { return t.first.BeforeMode.IsDir() && !t.hadMade }

// markReplaced marks the targets in folders of which the changes made a link: nothing of theirs
// is behind it. Whether it is still the link that was made, its own check says.
func markReplaced(root *os.Root, targets []target) {
	links := map[string]bool{}
	for i := range targets {
		t := &targets[i]
		if !t.first.BeforeMode.IsDir() || t.last.AfterMode&fs.ModeSymlink == 0 {
			continue
		}
		if info, err := root.Lstat(t.path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			links[t.path] = true
		}
	}
	for i := range targets {
		t := &targets[i]
		for dir := path.Dir(t.path); dir != "." && dir != "/" && !t.replaced; dir = path.Dir(dir) {
			t.replaced = links[dir]
		}
	}
}

// made are the folders that were made for the target, the innermost first: with
// itself where it is one.
func (t *target) made() (dirs []string) {
	dir, n := path.Dir(t.path), t.folders
	if t.isNew && !t.wasFolder() && t.first.Before == "" {
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
	now, ok, err := journal.State{}, true, error(nil)
	if !t.replaced {
		now, ok, err = stateOf(root, t.path)
	}
	if err != nil {
		return false, fmt.Errorf("undo of %s: %w", t.path, err)
	} else if !ok {
		return false, nil
	}
	t.now = now
	if t.wasFolder() {
		return t.checkFolder(), nil
	}
	lost := t.first.Lost != "" && t.first.Before == "" // nobody knows what it was
	if t.done = !lost && isAs(now, t.first.Before, t.first.BeforeMode); t.done {
		return true, nil
	}
	if t.broken || !isAs(now, t.last.After, t.last.AfterMode) {
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

// checkFolder is check of what was a folder. One that is there again is done, whoever
// made it.
func (t *target) checkFolder() bool {
	now, last := t.now, &t.last
	switch {
	case now.Type == journal.Folder && last.AfterMode.IsDir():
		t.done = now.Mode.Perm() == t.first.BeforeMode.Perm()
		return t.done || now.Mode.Perm() == last.AfterMode.Perm()
	case now.Type == journal.Folder:
		t.done = true
		return true
	case last.Removes():
		return now.Type == journal.None
	}
	return last.After != "" && isAs(now, last.After, last.AfterMode)
}

// load finds the content before.
func (t *target) load(blobs tool.Blobs) error {
	kept, err := KeptContent(blobs, t.first, t.first.Before, t.first.BeforeBytes, t.first.BeforeAt)
	if errors.Is(err, session.ErrNoBlob) {
		return &LostError{t.path, "its content is not kept any more"}
	} else if err != nil {
		return fmt.Errorf("undo of %s: %w", t.path, err)
	}
	t.kept = kept
	if t.first.BeforeMode&fs.ModeSymlink != 0 {
		return t.readLink()
	}
	return nil
}

// maxLink bounds where a link may lead.
const maxLink = 4096

// readLink reads where the link led that the file was.
func (t *target) readLink() error {
	r, err := t.kept.Open()
	if err != nil {
		return fmt.Errorf("undo of %s: %w", t.path, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxLink+1))
	if err != nil {
		return fmt.Errorf("undo of %s: %w", t.path, err)
	}
	if t.link = string(data); tool.Digest(data) != t.first.Before {
		return &LostError{t.path, "what was kept of it is damaged"}
	}
	return nil
}
