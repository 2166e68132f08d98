package watch

import (
	"path"

	"belay/internal/session"
)

// folders are new folders, each with whether anything is in it.
type folders map[string]bool

// madeFolders are those among all differences.
func madeFolders(all []change) folders {
	made := folders{}
	for _, c := range all { // a folder comes before what is in it
		if dir := path.Dir(c.path); c.is {
			if _, ok := made[dir]; ok {
				made[dir] = true
			}
		}
		if c.is && !c.was && c.new.mode.IsDir() {
			made[c.path] = false
		}
	}
	return made
}

// around is how many of the folders that a path is in were made, counted from the
// path.
func (m folders) around(p string) (n int) {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if _, ok := m[dir]; !ok {
			return n
		}
		n++
	}
}

// recordFolder adds a folder that the command made and left empty: no file tells
// of it.
func (r *review) recordFolder(c change) {
	if filled, made := r.made[c.path]; made && !filled {
		r.Changes = append(r.Changes, session.Change{Path: c.path, AfterMode: c.new.mode, Folders: r.made.around(c.path)})
	}
}
