package overlay

import (
	"fmt"
	"io/fs"
)

// special are bits of a file that give rights to anyone who runs it. They are never
// applied.
const special = fs.ModeSetuid | fs.ModeSetgid

// permissions are those that a changed file gets. Its owner can at least read it.
func (w *walk) permissions(info fs.FileInfo, name string) fs.FileMode {
	if info.Mode()&special != 0 && !info.IsDir() {
		w.drop(name, "got its permissions without the set-id bit")
	}
	return info.Mode().Perm() | 0o400
}

// topChanged reports whether the command gave the project's own folder other permissions.
func (u *Upper) topChanged() (bool, error) {
	now, err := u.project.Stat(u.upper())
	if err != nil {
		return false, err
	}
	was, err := u.project.Stat(".")
	return err == nil && now.Mode().Perm() != was.Mode().Perm(), err
}

// dropPermissions reports the permissions of folders that are not applied: of the project's own
// one, where top is set, and of new ones.
func (w *walk) dropPermissions(top bool) {
	if top {
		w.drop(".", "is the project's own folder: its permissions stay as they are")
	}
	reason := "stays open to its owner, whatever permissions the command gave it"
	if w.opened > 1 {
		reason += fmt.Sprintf("; of the new folders that is so with %d", w.opened)
	}
	if w.opened > 0 {
		w.drop(w.firstOpened, reason)
	}
}
