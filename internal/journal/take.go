package journal

import (
	"errors"
	"io/fs"
	"slices"

	"belay/internal/durable"
)

// take takes what a change removes out of its place.
func (tx *Tx) take(i int, e durable.Entry) error {
	c := &tx.rec.Changes[i]
	taken, err := look(tx.slot(i), false)
	if err != nil {
		return err
	}
	if taken.Type == None {
		if c.Op == Rmdir {
			// Nobody is to miss what is in a folder that stays.
			if full, err := isFilled(e); err != nil || full {
				return errors.Join(err, tx.full(i, full))
			}
		}
		err := tx.p.s.renameNew(e, tx.slot(i))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it is gone, as it shall be
		case errors.Is(err, errors.ErrUnsupported):
			return tx.takeCopy(i, e)
		case err != nil:
			return err
		}
	}
	was, err := look(tx.slot(i), true)
	if err != nil {
		return err
	}
	full, err := isFilled(tx.slot(i))
	want := c.Before
	if c.Op == Rmdir {
		want.Mode = 0 // nobody misses the permissions of an empty folder
	}
	if err != nil || was.is(&want) && !full {
		return err
	}
	if err := tx.p.s.renameNew(tx.slot(i), e); err != nil {
		return errors.Join(tx.clash(i, isChanged, tx.slotName(i)), err)
	}
	switch {
	case full && c.Op == Rmdir:
		return tx.full(i, full)
	case was.Type != c.Before.Type:
		return tx.clash(i, isElse, "")
	}
	return tx.clash(i, isChanged, "")
}

// full is the end of a change that was to remove a folder in which something is.
func (tx *Tx) full(i int, full bool) error {
	if !full || tx.rec.Changes[i].IfEmpty {
		return nil
	}
	return tx.clash(i, isFull, "")
}

// isFilled reports whether an entry is a folder with anything in it, or one of which
// nobody can say.
func isFilled(e durable.Entry) (bool, error) {
	folder, err := durable.OpenFolder(e.Folder, e.Name)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return true, nil
	case gone(err):
		return false, nil
	case err != nil:
		return false, err
	}
	defer folder.Close()
	in, err := fs.ReadDir(folder.FS(), ".")
	if errors.Is(err, fs.ErrPermission) {
		return true, nil
	}
	return len(in) > 0, err
}

// chmod changes permissions from one to another.
func (tx *Tx) chmod(i int, e durable.Entry, from, to fs.FileMode) error {
	c := &tx.rec.Changes[i]
	now, err := look(e, false)
	switch {
	case err != nil:
		return err
	case now.Type == None:
		return tx.clash(i, isGone, "")
	case now.Type != c.Before.Type || now.Type == Link:
		return tx.clash(i, isElse, "")
	case now.Mode == to:
		return nil
	case now.Mode != from:
		return tx.clash(i, isChanged, "")
	}
	return durable.Chmod(e.Folder, e.Name, to)
}

// rename gives what is at e its new name.
func (tx *Tx) rename(i int, e durable.Entry) error {
	c := &tx.rec.Changes[i]
	to, err := tx.p.openEntry(c.To)
	if gone(err) {
		return tx.clash(i, folderGone, "")
	} else if err != nil {
		return err
	}
	defer to.Folder.Close()
	now, err := look(e, false)
	if err != nil {
		return err
	}
	if tx.dead {
		there, err := look(to, false)
		if err != nil || there.Type == c.Before.Type && (now.Type == None || there.Inode == c.Before.Inode && there.Inode != 0 || tx.given(i)) {
			return err // it has its name
		}
	}
	switch {
	case now.Type == None:
		return tx.clash(i, isGone, "")
	case now.Type != c.Before.Type || !tx.dead && now.Inode != c.Before.Inode:
		return tx.clash(i, isElse, "")
	}
	err = tx.p.s.renameNew(e, to)
	if errors.Is(err, fs.ErrExist) {
		return tx.clash(i, isThere, "")
	}
	return err
}

// given reports whether a later change gives something to the path that change i
// frees.
func (tx *Tx) given(i int) bool {
	return slices.ContainsFunc(tx.rec.Changes[i+1:], func(c Change) bool { return c.places() && c.Path == tx.rec.Changes[i].Path })
}
