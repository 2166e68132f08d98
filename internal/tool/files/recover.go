package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"belay/internal/journal"
	"belay/internal/session"
)

// Recover returns those of the changes that a process was about to make which it
// made before it died, in their order, and removes the empty folders that it left of the
// others. A file that is neither what it was nor what it
// was to be counts as changed: then something else changed it as well, and nobody
// knows when. Nothing was made behind a link that was to give way to a folder and is still there.
func Recover(root *os.Root, intended []session.Change) (made []session.Change, err error) {
	stayed := map[string]bool{} // such links
	for _, c := range intended {
		if isBelow(c.Path, stayed) {
			continue
		}
		mode, err := recoverOne(root, c)
		if errors.Is(err, errNotMade) {
			stayed[c.Path] = c.BeforeMode&fs.ModeSymlink != 0
			continue
		} else if err != nil {
			return made, fmt.Errorf("look up the outcome of %s: %w", c.Path, err)
		}
		c.AfterMode = mode
		made = append(made, c)
	}
	return made, nil
}

func isBelow(name string, folders map[string]bool) bool {
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return false
}

// errNotMade says that a change was not made.
var errNotMade = errors.New("the change was not made")

// recoverOne returns the permissions of a file that was changed.
func recoverOne(root *os.Root, c session.Change) (fs.FileMode, error) {
	now, ok, err := stateOf(root, c.Path)
	if err != nil || !ok {
		return 0, err // where something else is there, undo says so
	}
	if c.BeforeMode.IsDir() || c.AfterMode.IsDir() {
		return c.AfterMode, recoverFolder(now, c)
	}
	sha, mode, _ := recorded(now)
	made := sha != c.Before
	if c.Before == c.After && c.BeforeMode != c.AfterMode { // only permissions were to change
		made = sha == c.After && mode.Perm() != c.BeforeMode.Perm()
	}
	if made {
		return mode &^ fs.ModeDir, nil
	}
	removeFolders(root, path.Dir(c.Path), c.Folders)
	return 0, errNotMade
}

// recoverFolder reports errNotMade of a change of a folder that was not made.
func recoverFolder(now journal.State, c session.Change) error {
	isFolder := now.Type == journal.Folder
	made := !isFolder // it was to go
	if c.AfterMode.IsDir() {
		made = isFolder && (!c.BeforeMode.IsDir() || now.Mode.Perm() != c.BeforeMode.Perm())
	}
	if !made {
		return errNotMade
	}
	return nil
}
