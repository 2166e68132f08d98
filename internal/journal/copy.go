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

// temp is the name beside its place of the new content of change i.
func (tx *Tx) temp(i int) string {
	return fmt.Sprintf("%s%s-%d", durable.TempPrefix, tx.rec.ID[len(tx.p.s.mark):], i)
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
func (tx *Tx) save(i int, e durable.Entry) (same bool, err error) {
	c := &tx.rec.Changes[i]
	if err := durable.RemoveAll(tx.dir, spare(i)); err != nil {
		return false, err
	}
	if c.Before.Type == None { // a sign that this is what is done
		err = durable.Mkdir(tx.dir, spare(i), 0o700)
	} else if err = copyTo(e, tx.spare(i), &c.Before, durable.Original); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = durable.FlushDir(tx.dir, ".", durable.Original)
	}
	if err != nil || c.Before.Type == None {
		return err == nil, err
	}
	was, err := look(tx.spare(i), true)
	return was.is(&c.Before), err
}

// putCopy puts the content of a slot in its place by a copy.
func (tx *Tx) putCopy(i int, e durable.Entry) error {
	c := &tx.rec.Changes[i]
	now, err := look(e, true)
	if err != nil {
		return err
	}
	switch {
	case c.Before.Type == None && now.Type != None:
		return tx.occupied(i, e)
	case now.Type == None && c.Before.Type != None:
		return tx.clash(i, isGone, tx.unplaced(i))
	case !now.is(&c.Before):
		return tx.clash(i, isChanged, tx.unplaced(i))
	}
	if same, err := tx.save(i, e); err != nil {
		return err
	} else if !same {
		return tx.clash(i, isChanged, tx.unplaced(i))
	}
	return tx.replaceBy(i, tx.slot(i), e, &c.After, &c.Before)
}

// replaceBy gives an entry a copy of another one, which is like that, in one step.
// Until then it must be what it was.
func (tx *Tx) replaceBy(i int, from, e durable.Entry, like, was *State) error {
	isNew := was.Type == None
	if like.Type == Folder {
		err := durable.Mkdir(e.Folder, e.Name, cmp.Or(like.Mode.Perm(), 0o777))
		if errors.Is(err, fs.ErrExist) {
			return tx.occupied(i, e)
		}
		return err
	}
	temp := durable.Entry{Folder: e.Folder, Name: tx.temp(i)}
	if err := durable.RemoveTemp(e.Folder, temp.Name); err != nil {
		return err
	}
	err := copyTo(from, temp, like, durable.ProjectFile)
	if err == nil && !isNew {
		var now State
		if now, err = look(e, true); err == nil && !now.is(was) {
			err = tx.clash(i, isChanged, tx.unplaced(i))
		}
	}
	if err == nil && isNew {
		err = tx.p.s.renameNew(temp, e)
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
		return tx.occupied(i, e)
	}
	return err
}

// takeCopy removes what is at an entry, with a copy in the journal.
func (tx *Tx) takeCopy(i int, e durable.Entry) error {
	c := &tx.rec.Changes[i]
	now, err := look(e, true)
	if err == nil && tx.dead && !now.is(&c.Before) {
		var was State
		if was, err = look(tx.spare(i), true); err == nil && was.is(&c.Before) {
			return nil // it was removed; what is there now came later
		}
	}
	switch {
	case err != nil || now.Type == None:
		return err
	case now.Type != c.Before.Type:
		return tx.clash(i, isElse, "")
	case !now.is(&c.Before):
		return tx.clash(i, isChanged, "")
	}
	same, err := tx.save(i, e)
	if err == nil && same {
		now, err = look(e, true)
		same = now.is(&c.Before)
	}
	if err != nil {
		return err
	} else if !same {
		return tx.clash(i, isChanged, "")
	}
	err = durable.Remove(e.Folder, e.Name)
	if c.Op == Rmdir && err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		if c.IfEmpty {
			return nil
		}
		return tx.clash(i, isFull, "")
	}
	return err
}

// untakeCopy puts back what takeCopy removed.
func (tx *Tx) untakeCopy(i int, e durable.Entry) error {
	c := &tx.rec.Changes[i]
	was, err := look(tx.spare(i), true)
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
		return tx.clash(i, isThere, spare(i))
	}
	return tx.replaceBy(i, tx.spare(i), e, &c.Before, &State{})
}

// unputCopy takes back what putCopy did, if it did.
func (tx *Tx) unputCopy(i int, e durable.Entry) error {
	c := &tx.rec.Changes[i]
	was, err := look(tx.spare(i), true)
	if err != nil || was.Type == None || c.Before.Type != None && !was.is(&c.Before) {
		return err // it was not put there
	}
	if err := durable.RemoveTemp(e.Folder, tx.temp(i)); err != nil {
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
		return tx.clash(i, isChanged, spare(i))
	case c.Before.Type != None:
		return tx.replaceBy(i, tx.spare(i), e, &c.Before, &c.After)
	}
	err = durable.Remove(e.Folder, e.Name)
	if c.Op == Mkdir {
		return nil // it stays if anything is in it
	}
	return err
}
