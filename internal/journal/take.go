package journal

import (
	"errors"
	"io/fs"
	"slices"

	"belay/internal/durable"
)

// take takes what a change removes out of its place.
func (s step) take(e durable.Entry) error {
	c := s.c
	taken, err := look(s.slot(), false)
	if err != nil {
		return err
	}
	if taken.Type == None {
		if c.Op == Rmdir {
			// Nobody is to miss what is in a folder that stays.
			if full, err := isFilled(e); err != nil || full {
				return errors.Join(err, s.full(full))
			}
		}
		err := s.tx.p.s.renameNew(e, s.slot())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it is gone, as it shall be
		case errors.Is(err, errors.ErrUnsupported):
			return s.takeCopy(e)
		case err != nil:
			return err
		}
	}
	was, err := look(s.slot(), true)
	if err != nil {
		return err
	}
	full, err := isFilled(s.slot())
	want := c.Before
	if c.Op == Rmdir {
		want.Mode = 0 // nobody misses the permissions of an empty folder
	}
	if err != nil || was.is(&want) && !full {
		return err
	}
	if err := s.tx.p.s.renameNew(s.slot(), e); err != nil {
		return errors.Join(s.clash(isChanged, s.slotName()), err)
	}
	switch {
	case full && c.Op == Rmdir:
		return s.full(full)
	case was.Type != c.Before.Type:
		return s.clash(isElse, "")
	}
	return s.clash(isChanged, "")
}

// full is the end of a change that was to remove a folder in which something is.
func (s step) full(full bool) error {
	if !full || s.c.IfEmpty {
		return nil
	}
	return s.clash(isFull, "")
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
func (s step) chmod(e durable.Entry, from, to fs.FileMode) error {
	c := s.c
	now, err := look(e, false)
	switch {
	case err != nil:
		return err
	case now.Type == None:
		return s.clash(isGone, "")
	case now.Type != c.Before.Type || now.Type == Link:
		return s.clash(isElse, "")
	case now.Mode == to:
		return nil
	case now.Mode != from:
		return s.clash(isChanged, "")
	}
	return durable.Chmod(e.Folder, e.Name, to)
}

// rename gives what is at e its new name.
func (s step) rename(e durable.Entry) error {
	c := s.c
	to, err := s.tx.p.openEntry(c.To)
	if gone(err) {
		return s.clash(folderGone, "")
	} else if err != nil {
		return err
	}
	defer to.Folder.Close()
	now, err := look(e, false)
	if err != nil {
		return err
	}
	if s.tx.dead {
		there, err := look(to, false)
		if err != nil || there.Type == c.Before.Type && (now.Type == None || there.Inode == c.Before.Inode && there.Inode != 0 || s.given()) {
			return err // it has its name
		}
	}
	switch {
	case now.Type == None:
		return s.clash(isGone, "")
	case now.Type != c.Before.Type || !s.tx.dead && now.Inode != c.Before.Inode:
		return s.clash(isElse, "")
	}
	err = s.tx.p.s.renameNew(e, to)
	if errors.Is(err, fs.ErrExist) {
		return s.clash(isThere, "")
	}
	return err
}

// given reports whether a later change gives something to the path that the change
// frees.
func (s step) given() bool {
	return slices.ContainsFunc(s.tx.rec.Changes[s.i+1:], func(c Change) bool { return c.places() && c.Path == s.c.Path })
}
