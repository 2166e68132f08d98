package files

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"belay/internal/durable"
	"belay/internal/journal"
)

// stateOf is what a project has at a path. It is false where nobody can tell: behind a
// link, or where something is neither a file nor a folder nor a link.
func stateOf(root *os.Root, name string) (now journal.State, ok bool, err error) {
	folder, err := durable.OpenFolder(root, path.Dir(name))
	switch {
	case errors.Is(err, errMoved):
		return now, false, nil
	case err == nil:
		_ = folder.Close() // it was only looked at
	}
	if now, err = journal.Look(root, journal.Name(name), true); err != nil {
		return now, false, err
	}
	switch now.Type {
	case journal.None, journal.File, journal.Folder, journal.Link:
		return now, true, nil
	}
	return now, false, nil
}

// isAs reports whether a path is as a session's record says. Permissions that the record
// does not know do not count, nor do those of a link.
func isAs(now journal.State, sha string, mode fs.FileMode) bool {
	is, has, _ := recorded(now)
	switch {
	case is != sha:
		return false
	case sha == "" || mode == 0:
		return true
	}
	return has.Type() == mode.Type() && (has.Perm() == mode.Perm() || mode&fs.ModeSymlink != 0)
}

// replaced is the state that a change of a file was reviewed for.
func replaced(now journal.State) journal.State {
	switch now.Type {
	case journal.File:
		return journal.State{Type: journal.File, SHA256: now.SHA256, Mode: now.Mode.Perm()}
	case journal.Link:
		return journal.State{Type: journal.Link, Target: now.Target}
	}
	return journal.State{}
}
