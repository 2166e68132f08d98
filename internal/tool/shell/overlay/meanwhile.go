package overlay

import (
	"os"
	"path"
)

// dirJournal is where belay prepares changes of a project: it changes with each.
const dirJournal = dirBelay + "/journal"

// maxBeside is how many entries of the project are looked at beside those that the
// command changed.
const maxBeside = 500

// applied reports whether belay has changed files of the project since the command
// began, in whichever process.
func (u *Upper) applied() bool {
	info, err := u.project.Lstat(dirJournal)
	return err == nil && !changed(info).Before(u.began)
}

// lookBeside looks for a change in a folder of the project, and of the files and folders
// in it. It looks at a few only: it is to be cheap, and what it finds is a hint.
func (w *walk) lookBeside(lower *os.Root, name string) {
	if w.beside != "" || w.looked >= maxBeside {
		return
	}
	if info, err := lower.Lstat("."); err == nil && !changed(info).Before(w.u.began) {
		w.beside = name
		if name == "." {
			w.beside = "the project's folder"
		}
		return
	}
	folder, err := lower.Open(".")
	if err != nil {
		return
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(maxBeside - w.looked) // as many as there are
	w.looked += len(names)
	for _, base := range names {
		at := path.Join(name, base)
		if at == dirBelay {
			continue
		}
		if info, err := lower.Lstat(base); err == nil && !changed(info).Before(w.u.began) {
			w.beside = at
			return
		}
	}
}
