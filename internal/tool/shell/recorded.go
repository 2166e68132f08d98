package shell

import (
	"io/fs"
	"path"

	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool/files"
)

// recorded are changes as the session has them on record: of files, each with the
// number of folders that were made around it, and of folders that were made and are
// empty. What is in a .git folder is Git's to tell and to take back.
func recorded(changes []journal.Change) (noted []session.Change) {
	made := map[string]bool{} // whether anything is in it
	for _, c := range changes {
		if c.After.Type == journal.None {
			continue
		}
		if dir := path.Dir(string(c.Path)); hasKey(made, dir) {
			made[dir] = true
		}
		if c.Op == journal.Mkdir {
			made[string(c.Path)] = false
		}
	}
	around := func(name string) (n int) {
		for dir := path.Dir(name); hasKey(made, dir); dir = path.Dir(dir) {
			n++
		}
		return n
	}
	for _, c := range changes {
		name := string(c.Path)
		if _, _, in := insideGit(name); in {
			continue
		}
		if c.Op == journal.Mkdir {
			if !made[name] {
				noted = append(noted, session.Change{Path: name, AfterMode: fs.ModeDir | c.After.Mode.Perm(), Folders: around(name)})
			}
			continue
		}
		for _, n := range files.Recorded([]journal.Change{c}) {
			if c.After.Type != journal.None {
				n.Folders = around(name)
			}
			noted = append(noted, n)
		}
	}
	return noted
}

func hasKey(m map[string]bool, key string) bool {
	_, ok := m[key]
	return ok
}
