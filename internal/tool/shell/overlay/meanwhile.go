package overlay

import (
	"io/fs"
	"os"
	"path"
	"time"
)

// dirJournal is where belay prepares changes of a project: it changes with each.
const dirJournal = dirBelay + "/journal"

// maxBeside is how many entries of the project are looked at beside those that the
// command changed.
const maxBeside = 500

// isLater reports whether something else changed a file or folder after the command began.
func (w *walk) isLater(info fs.FileInfo) bool { return !changed(info).Before(w.since) }

// replaced counts all in a folder as changed by something else, until its end is called: another
// folder may have come in its place, and the times of what is in that say nothing.
func (w *walk) replaced() (end func()) {
	since := w.since
	w.since = time.Time{}
	return func() { w.since = since }
}

// isAnother reports whether the project has another folder now in the place of the one which the
// command saw: somebody has moved it there. Where the system does not tell, a folder that was
// moved has the time of that as its change time alone, and one that got other permissions too.
func (w *walk) isAnother(upper, lower *os.Root) (bool, error) {
	up, err := openFolder(upper)
	if err != nil {
		return false, err
	}
	defer up.Close()
	low, err := lower.Open(".")
	if err != nil {
		return false, err
	}
	defer low.Close()
	is, known := copyOfAnother(up, low)
	if known || !copied(up) {
		return is, nil
	}
	info, err := low.Stat()
	return err == nil && w.isLater(info) && !changed(info).Equal(info.ModTime()), err
}

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
