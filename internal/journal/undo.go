package journal

import (
	"errors"
	"io/fs"

	"belay/internal/durable"
)

// undo takes back what was made of the change. What somebody else has changed since
// stays, and is a clash.
func (s step) undo() error {
	c := s.c
	name := c.Path
	if c.Op == Rename {
		name = c.To
	}
	e, err := s.tx.p.entry(name)
	if gone(err) {
		return s.homeless()
	} else if err != nil {
		return s.failed(err)
	}
	switch {
	case c.Op == Mode:
		err = s.unmode(e)
	case c.Op == Rename:
		err = s.unrename(e)
	case c.takes():
		err = s.untake(e)
	default:
		err = s.unput(e)
	}
	return s.failed(err)
}

// homeless is the end of a change whose folder is gone, with all that was in it.
func (s step) homeless() error {
	c := s.c
	if c.Before.Type == None || c.Before.Type == Folder || c.Op == Mode || c.Op == Rename {
		return nil
	}
	for name, e := range map[string]durable.Entry{s.slotName(): s.slot(), spare(s.i): s.spare()} {
		if was, err := look(e, true); err != nil || was.Type != None && was.is(&c.Before) {
			return errors.Join(err, s.clash(folderGone, name))
		}
	}
	return nil
}

func (s step) unmode(e durable.Entry) error {
	c := s.c
	now, err := look(e, false)
	if err != nil || now.Type != c.Before.Type || now.Mode != c.After.Mode {
		return err // not made, or changed since
	}
	return durable.Chmod(e.Folder, e.Name, c.Before.Mode)
}

// unrename gives what is at its new name, to, the old one.
func (s step) unrename(to durable.Entry) error {
	c := s.c
	now, err := look(to, false)
	if err != nil || now.Type != c.Before.Type || !s.tx.dead && now.Inode != c.Before.Inode {
		return err
	}
	from, err := s.tx.p.openEntry(c.Path)
	if gone(err) {
		return s.clash(folderGone, "")
	} else if err != nil {
		return err
	}
	defer from.Folder.Close()
	if was, err := look(from, false); err != nil || s.tx.dead && was.Type == c.Before.Type {
		return err // it was not renamed
	}
	err = s.tx.p.s.renameNew(to, from)
	if errors.Is(err, fs.ErrExist) {
		return s.clash(isThere, "")
	}
	return err
}

// untake puts back what was taken.
func (s step) untake(e durable.Entry) error {
	was, err := look(s.slot(), false)
	if err != nil {
		return err
	}
	if was.Type == None {
		return s.untakeCopy(e)
	}
	err = s.tx.p.s.renameNew(s.slot(), e)
	if errors.Is(err, fs.ErrExist) {
		if s.c.Op == Rmdir {
			return nil // somebody has made it again
		}
		return s.clash(isThere, s.slotName())
	}
	return err
}

// unput takes out of its place what was put there.
func (s step) unput(e durable.Entry) error {
	c := s.c
	if fresh, err := s.fresh(false); err != nil {
		return err
	} else if fresh {
		return s.unputCopy(e)
	}
	now, err := look(e, true)
	if err != nil {
		return err
	}
	if c.Before.Type == None {
		return s.unmake(e, now)
	}
	if !now.is(&c.After) {
		reason := isChanged
		if now.Type == None {
			reason = isGone
		}
		return s.clash(reason, s.slotName())
	}
	if err := s.tx.p.s.exchange(s.slot(), e); errors.Is(err, fs.ErrNotExist) {
		return s.clash(isGone, s.slotName())
	} else if err != nil {
		return err
	}
	back, err := look(s.slot(), true)
	if err != nil || back.is(&c.After) {
		return err
	}
	return errors.Join(s.clash(isChanged, s.slotName()), s.tx.p.s.exchange(s.slot(), e))
}

// unmake takes away what was made. A folder in which something is stays.
func (s step) unmake(e durable.Entry, now State) error {
	c := s.c
	switch {
	case now.Type == None:
		return nil
	case c.Whole:
		return s.unmakeWhole(e)
	case c.Op == Mkdir && (now.Type != Folder || now.Inode != c.After.Inode):
		return nil
	case !now.is(&c.After):
		return s.clash(isChanged, "")
	}
	if c.Op == Mkdir {
		if full, err := isFilled(e); err != nil || full {
			return err
		}
	}
	if err := s.tx.p.s.renameNew(e, s.slot()); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if c.Op == Mkdir {
		if full, err := isFilled(s.slot()); err != nil || !full {
			return err
		}
		return s.tx.p.s.renameNew(s.slot(), e)
	}
	back, err := look(s.slot(), true)
	if err != nil || back.is(&c.After) {
		return err
	}
	if err := s.tx.p.s.renameNew(s.slot(), e); err != nil {
		return errors.Join(s.clash(isChanged, s.slotName()), err)
	}
	return s.clash(isChanged, "")
}

// unmakeWhole takes away a folder that was made with all that is in it. One in which
// something else is now, or something is changed, stays.
func (s step) unmakeWhole(e durable.Entry) error {
	err := s.tx.p.s.renameNew(e, s.slot())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	ours, err := s.intact(s.slot(), false)
	if err != nil || ours {
		return err
	}
	if err := s.tx.p.s.renameNew(s.slot(), e); err != nil {
		return errors.Join(s.clash(isChanged, s.slotName()), err)
	}
	return s.clash(isChanged, "")
}
