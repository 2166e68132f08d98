package journal

import (
	"errors"
	"io/fs"

	"belay/internal/durable"
)

// undo takes back what was made of the change that was due at the turn of change i. What
// somebody else has changed since stays, and is a clash.
func (tx *Tx) undo(i int) error {
	i, ok := tx.due(i)
	if !ok {
		return nil
	}
	c := &tx.rec.Changes[i]
	name := c.Path
	if c.Op == Rename {
		name = c.To
	}
	e, err := tx.p.entry(name)
	if gone(err) {
		return tx.homeless(i)
	} else if err != nil {
		return tx.failed(i, err)
	}
	switch {
	case c.Op == Mode:
		err = tx.unmode(i, e)
	case c.Op == Rename:
		err = tx.unrename(i, e)
	case c.takes():
		err = tx.untake(i, e)
	default:
		err = tx.unput(i, e)
	}
	return tx.failed(i, err)
}

// homeless is the end of a change whose folder is gone, with all that was in it.
func (tx *Tx) homeless(i int) error {
	c := &tx.rec.Changes[i]
	if c.Before.Type == None || c.Before.Type == Folder || c.Op == Mode || c.Op == Rename {
		return nil
	}
	for name, e := range map[string]durable.Entry{tx.slotName(i): tx.slot(i), spare(i): tx.spare(i)} {
		if was, err := look(e, true); err != nil || was.Type != None && was.is(&c.Before) {
			return errors.Join(err, tx.clash(i, folderGone, name))
		}
	}
	return nil
}

func (tx *Tx) unmode(i int, e durable.Entry) error {
	c := &tx.rec.Changes[i]
	now, err := look(e, false)
	if err != nil || now.Type != c.Before.Type || now.Mode != c.After.Mode {
		return err // not made, or changed since
	}
	return durable.Chmod(e.Folder, e.Name, c.Before.Mode)
}

// unrename gives what is at its new name, to, the old one.
func (tx *Tx) unrename(i int, to durable.Entry) error {
	c := &tx.rec.Changes[i]
	now, err := look(to, false)
	if err != nil || now.Type != c.Before.Type || !tx.dead && now.Inode != c.Before.Inode {
		return err
	}
	from, err := tx.p.openEntry(c.Path)
	if gone(err) {
		return tx.clash(i, folderGone, "")
	} else if err != nil {
		return err
	}
	defer from.Folder.Close()
	if was, err := look(from, false); err != nil || tx.dead && was.Type == c.Before.Type {
		return err // it was not renamed
	}
	err = tx.p.s.renameNew(to, from)
	if errors.Is(err, fs.ErrExist) {
		return tx.clash(i, isThere, "")
	}
	return err
}

// untake puts back what was taken.
func (tx *Tx) untake(i int, e durable.Entry) error {
	was, err := look(tx.slot(i), false)
	if err != nil {
		return err
	}
	if was.Type == None {
		return tx.untakeCopy(i, e)
	}
	err = tx.p.s.renameNew(tx.slot(i), e)
	if errors.Is(err, fs.ErrExist) {
		if tx.rec.Changes[i].Op == Rmdir {
			return nil // somebody has made it again
		}
		return tx.clash(i, isThere, tx.slotName(i))
	}
	return err
}

// unput takes out of its place what was put there.
func (tx *Tx) unput(i int, e durable.Entry) error {
	c := &tx.rec.Changes[i]
	if fresh, err := tx.fresh(i, false); err != nil {
		return err
	} else if fresh {
		return tx.unputCopy(i, e)
	}
	now, err := look(e, true)
	if err != nil {
		return err
	}
	if c.Before.Type == None {
		return tx.unmake(i, e, now)
	}
	if !now.is(&c.After) {
		reason := isChanged
		if now.Type == None {
			reason = isGone
		}
		return tx.clash(i, reason, tx.slotName(i))
	}
	if err := tx.p.s.exchange(tx.slot(i), e); errors.Is(err, fs.ErrNotExist) {
		return tx.clash(i, isGone, tx.slotName(i))
	} else if err != nil {
		return err
	}
	back, err := look(tx.slot(i), true)
	if err != nil || back.is(&c.After) {
		return err
	}
	return errors.Join(tx.clash(i, isChanged, tx.slotName(i)), tx.p.s.exchange(tx.slot(i), e))
}

// unmake takes away what was made. A folder in which something is stays.
func (tx *Tx) unmake(i int, e durable.Entry, now State) error {
	c := &tx.rec.Changes[i]
	switch {
	case now.Type == None:
		return nil
	case c.Whole:
		return tx.unmakeWhole(i, e)
	case c.Op == Mkdir && (now.Type != Folder || now.Inode != c.After.Inode):
		return nil
	case !now.is(&c.After):
		return tx.clash(i, isChanged, "")
	}
	if c.Op == Mkdir {
		if full, err := isFilled(e); err != nil || full {
			return err
		}
	}
	if err := tx.p.s.renameNew(e, tx.slot(i)); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if c.Op == Mkdir {
		if full, err := isFilled(tx.slot(i)); err != nil || !full {
			return err
		}
		return tx.p.s.renameNew(tx.slot(i), e)
	}
	back, err := look(tx.slot(i), true)
	if err != nil || back.is(&c.After) {
		return err
	}
	if err := tx.p.s.renameNew(tx.slot(i), e); err != nil {
		return errors.Join(tx.clash(i, isChanged, tx.slotName(i)), err)
	}
	return tx.clash(i, isChanged, "")
}

// unmakeWhole takes away a folder that was made with all that is in it. One in which
// something else is now, or something is changed, stays.
func (tx *Tx) unmakeWhole(i int, e durable.Entry) error {
	err := tx.p.s.renameNew(e, tx.slot(i))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	ours, err := tx.intact(i, tx.slot(i), false)
	if err != nil || ours {
		return err
	}
	if err := tx.p.s.renameNew(tx.slot(i), e); err != nil {
		return errors.Join(tx.clash(i, isChanged, tx.slotName(i)), err)
	}
	return tx.clash(i, isChanged, "")
}
