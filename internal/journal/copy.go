package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"belay/internal/durable"
)

// This file is the way without an exchange: for file systems that have none, and
// for folders on another one than the journal. The new content is written beside
// the file and renamed over it; what was there is copied into the journal before.
// Between the look and the rename somebody else's change can get lost.

// temp is the name beside its place of the new content.
func (s step) temp() string {
	return fmt.Sprintf("%s%s-%d", durable.TempPrefix, s.tx.rec.ID[len(s.tx.p.s.mark):], s.i)
}

// copyTo copies a file or link from one entry to another, which is durable with its
// content afterwards.
func copyTo(from, to durable.Entry, like *State, kind *durable.File) error {
	switch like.Type {
	case Link:
		return durable.Symlink(to.Folder, string(like.Target), to.Name)
	case Folder:
		return durable.Mkdir(to.Folder, to.Name, cmp.Or(like.Mode.Perm(), 0o777))
	}
	f, _, err := durable.OpenEntry(from)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := durable.Create(to.Folder, to.Name, 0o600, kind)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	if like.UID != 0 || like.GID != 0 {
		if now, e := look(to, false); e == nil && (now.UID != like.UID || now.GID != like.GID) {
			_ = durable.Chown(to.Folder, to.Name, like.UID, like.GID) // not being allowed to is no fault
		}
	}
	if err == nil {
		err = w.Chmod(like.Mode.Perm())
	}
	if err == nil {
		err = w.Sync()
	}
	return errors.Join(err, w.Close())
}

// save copies what a change replaces into the journal, durably, and says whether
// it is what the change was reviewed for.
func (s step) save(e durable.Entry) (same bool, err error) {
	c := s.c
	if err := durable.RemoveAll(s.tx.dir, spare(s.i)); err != nil {
		return false, err
	}
	if c.Before.Type == None { // a sign that this is what is done
		err = durable.Mkdir(s.tx.dir, spare(s.i), 0o700)
	} else if err = copyTo(e, s.spare(), &c.Before, durable.Original); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = durable.FlushDir(s.tx.dir, ".", durable.Original)
	}
	if err != nil || c.Before.Type == None {
		return err == nil, err
	}
	was, err := look(s.spare(), true)
	return was.is(&c.Before), err
}

// putCopy puts the content of a slot in its place by a copy.
func (s step) putCopy(e durable.Entry) error {
	c := s.c
	now, err := look(e, true)
	if err != nil {
		return err
	}
	switch {
	case c.Before.Type == None && now.Type != None:
		return s.occupied(e)
	case now.Type == None && c.Before.Type != None:
		return s.clash(isGone, s.unplaced())
	case !now.is(&c.Before):
		return s.clash(isChanged, s.unplaced())
	}
	if same, err := s.save(e); err != nil {
		return err
	} else if !same {
		return s.clash(isChanged, s.unplaced())
	}
	return s.replaceBy(s.slot(), e, &c.After, &c.Before)
}

// replaceBy gives an entry a copy of another one, which is like that, in one step.
// Until then it must be what it was.
func (s step) replaceBy(from, e durable.Entry, like, was *State) error {
	isNew := was.Type == None
	if like.Type == Folder {
		err := durable.Mkdir(e.Folder, e.Name, cmp.Or(like.Mode.Perm(), 0o777))
		if errors.Is(err, fs.ErrExist) {
			return s.occupied(e)
		}
		return err
	}
	temp := durable.Entry{Folder: e.Folder, Name: s.temp()}
	if err := durable.RemoveTemp(e.Folder, temp.Name); err != nil {
		return err
	}
	err := copyTo(from, temp, like, durable.ProjectFile)
	if err == nil && !isNew {
		var now State
		if now, err = look(e, true); err == nil && !now.is(was) {
			err = s.clash(isChanged, s.unplaced())
		}
	}
	if err == nil && isNew {
		err = s.tx.p.s.renameNew(temp, e)
		if errors.Is(err, errors.ErrUnsupported) { // a second name of it is new as well
			if err = durable.Link(e.Folder, temp.Name, e.Name); err == nil {
				err = durable.Remove(e.Folder, temp.Name)
			}
		}
	} else if err == nil {
		err = durable.Rename(e.Folder, temp.Name, e.Name)
	}
	if err != nil {
		err = errors.Join(err, durable.RemoveTemp(e.Folder, temp.Name))
	}
	if isNew && errors.Is(err, fs.ErrExist) {
		return s.occupied(e)
	}
	return err
}

// takeCopy removes what is at an entry, with a copy in the journal.
func (s step) takeCopy(e durable.Entry) error {
	c := s.c
	now, err := look(e, true)
	if err == nil && s.tx.dead && !now.is(&c.Before) {
		var was State
		if was, err = look(s.spare(), true); err == nil && was.is(&c.Before) {
			return nil // it was removed; what is there now came later
		}
	}
	switch {
	case err != nil || now.Type == None:
		return err
	case now.Type != c.Before.Type:
		return s.clash(isElse, "")
	case !now.is(&c.Before):
		return s.clash(isChanged, "")
	}
	same, err := s.save(e)
	if err == nil && same {
		now, err = look(e, true)
		same = now.is(&c.Before)
	}
	if err != nil {
		return err
	} else if !same {
		return s.clash(isChanged, "")
	}
	err = durable.Remove(e.Folder, e.Name)
	if c.Op == Rmdir && err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		if c.IfEmpty {
			return nil
		}
		return s.clash(isFull, "")
	}
	return err
}

// untakeCopy puts back what takeCopy removed.
func (s step) untakeCopy(e durable.Entry) error {
	c := s.c
	was, err := look(s.spare(), true)
	if err != nil || was.Type == None || !was.is(&c.Before) {
		return err // it was not removed
	}
	now, err := look(e, true)
	switch {
	case err != nil:
		return err
	case now.is(&c.Before), now.Type != None && c.Op == Rmdir:
		return nil
	case now.Type != None:
		return s.clash(isThere, spare(s.i))
	}
	return s.replaceBy(s.spare(), e, &c.Before, &State{})
}

// unputCopy takes back what putCopy did, if it did.
func (s step) unputCopy(e durable.Entry) error {
	c := s.c
	was, err := look(s.spare(), true)
	if err != nil || was.Type == None || c.Before.Type != None && !was.is(&c.Before) {
		return err // it was not put there
	}
	if err := durable.RemoveTemp(e.Folder, s.temp()); err != nil {
		return err
	}
	now, err := look(e, true)
	switch {
	case err != nil:
		return err
	case !now.is(&c.After):
		if c.Before.Type == None || now.is(&c.Before) {
			return nil
		}
		return s.clash(isChanged, spare(s.i))
	case c.Before.Type != None:
		return s.replaceBy(s.spare(), e, &c.Before, &c.After)
	}
	err = durable.Remove(e.Folder, e.Name)
	if c.Op == Mkdir {
		return nil // it stays if anything is in it
	}
	return err
}
