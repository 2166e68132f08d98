package journal

import (
	"io/fs"
	"path"

	"belay/internal/durable"
)

// This file is about new folders that are moved to their place with all that is in
// them. Their files keep their changes in the record, for its readers, but nothing
// is done for each of them: the folder is moved when the last of them is due.

// findWhole finds the new folders that hold nothing but what later changes put
// there, and that are not there in the project. The outermost of them are whole.
func (prep *preparation) findWhole() error {
	w := finder{prep: prep, places: map[string]int{}, stirred: map[string]bool{}}
	for i := range prep.tx.rec.Changes {
		c := &prep.tx.rec.Changes[i]
		if c.places() {
			w.places[string(c.Path)] = i
			continue
		}
		for _, name := range []Name{c.Path, c.To} {
			for dir := path.Dir(string(name)); dir != "."; dir = path.Dir(dir) {
				w.stirred[dir] = true
			}
		}
	}
	whole := map[string]bool{}
	for i := range prep.tx.rec.Changes {
		c := &prep.tx.rec.Changes[i]
		name := string(c.Path)
		if c.Op != Mkdir || inside(name, whole) {
			continue
		}
		if c.Tree != nil {
			c.Whole, whole[name] = true, true // where it cannot be moved, Apply says so
			continue
		}
		around := prep.folder(path.Dir(name))
		if around.Type != Folder || around.Device != prep.device || prep.folder(name).Inode != 0 {
			continue // it is not new, or it cannot be moved there
		}
		// The folder around it may have been found incomplete after this one was taken.
		if !c.Taken {
			if _, err := w.complete(i); err != nil {
				return err
			}
		}
		c.Whole, whole[name] = c.Taken, c.Taken
	}
	return nil
}

// inside reports whether a path is in one of some folders.
func inside(name string, folders map[string]bool) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return false
}

// finder finds new folders that are whole.
type finder struct {
	prep *preparation
	// places are the changes that put something at a path; stirred are folders in which
	// others are made.
	places  map[string]int
	stirred map[string]bool
}

// complete reports whether everything in the folder of a change among the contents was
// taken, and takes the folder then.
func (w *finder) complete(i int) (bool, error) {
	tx, c := w.prep.tx, &w.prep.tx.rec.Changes[i]
	name := string(c.Path)
	if c.Tree != nil || w.stirred[name] {
		return c.Tree != nil, nil
	}
	folder, err := durable.OpenFolder(tx.tree, name)
	if gone(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer folder.Close()
	f, err := folder.Open(".")
	if err != nil {
		return false, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		k, ok := w.places[path.Join(name, e.Name())]
		if ok && e.IsDir() && tx.rec.Changes[k].Op == Mkdir {
			ok, err = w.complete(k)
		}
		if err != nil || !ok || !tx.rec.Changes[k].Taken {
			return false, err
		}
	}
	info, err := f.Stat()
	if err != nil || !strip(f) {
		return false, err
	}
	now := State{Type: Folder}
	now.identify(info)
	if err := w.prep.own(f, c, &now, w.prep.around(i), info.Mode()); err != nil {
		return false, err
	}
	if now, err = look(durable.Entry{Folder: tx.tree, Name: name}, false); err != nil {
		return false, err
	}
	c.After, c.Taken = now, true
	return true, nil
}

// arrange works out, from the changes, which of them are made with a whole folder.
func (tx *Tx) arrange() {
	tx.part, tx.last = nil, nil
	roots := map[string]int{}
	for i, c := range tx.rec.Changes {
		if c.Whole {
			roots[string(c.Path)] = i
		}
	}
	if len(roots) == 0 {
		return
	}
	tx.part, tx.last = make([]int, len(tx.rec.Changes)), map[int]int{}
	for i, c := range tx.rec.Changes {
		tx.part[i] = -1
		if !c.Taken {
			continue
		}
		for name := string(c.Path); name != "."; name = path.Dir(name) {
			if root, ok := roots[name]; ok {
				tx.part[i], tx.last[root] = root, i
				break
			}
		}
	}
}

// isPart reports whether change i is made with a whole folder, and is not that itself.
func (tx *Tx) isPart(i int) bool { return tx.part != nil && tx.part[i] >= 0 && tx.part[i] != i }

// due returns the change that is made when it is the turn of change i: a whole folder
// at the turn of the last that is in it.
func (tx *Tx) due(i int) (change int, ok bool) {
	if tx.part == nil || tx.part[i] < 0 {
		return i, true
	}
	root := tx.part[i]
	return root, tx.last[root] == i
}

// intact reports whether a whole folder, at an entry, has what the changes in it say and
// nothing else. What is loose may have been damaged on the way where it counts for
// little.
func (s step) intact(e durable.Entry, loose bool) (bool, error) {
	top := string(s.c.Path)
	found, trees := 0, map[string]bool{} // of the content of trees nothing is known here
	if t := s.c.Tree; t != nil {
		return intactTree(t, e, loose)
	}
	for i := range s.tx.rec.Changes {
		if !s.tx.isPart(i) || s.tx.part[i] != s.i {
			continue
		}
		c := &s.tx.rec.Changes[i]
		at := durable.Entry{Folder: e.Folder, Name: path.Join(e.Name, string(c.Path)[len(top)+1:])}
		now, err := look(at, !c.Loose || !loose)
		if gone(err) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if want := c.After; c.Loose && loose && now.Type != want.Type || !(c.Loose && loose) && !now.sameContent(&want) {
			return false, nil
		}
		found++
		if c.Tree != nil {
			trees[string(c.Path)[len(top)+1:]] = true
			if ok, err := intactTree(c.Tree, at, loose); err != nil || !ok {
				return false, err
			}
		}
	}
	folder, err := durable.OpenFolder(e.Folder, e.Name)
	if gone(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer folder.Close()
	err = fs.WalkDir(folder.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		if name != "." {
			found--
		}
		if trees[name] && err == nil {
			return fs.SkipDir
		}
		return err
	})
	return found == 0, err
}

// dressWhole gives what is in a whole folder its permissions, which a power cut may have
// taken.
func (s step) dressWhole() error {
	for i := range s.tx.rec.Changes {
		if s.tx.isPart(i) && s.tx.part[i] == s.i {
			if err := s.tx.step(i).dress(); err != nil {
				return err
			}
		}
	}
	return s.dress()
}
