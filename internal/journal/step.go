package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"belay/internal/durable"
)

// clash is the error of a change that somebody else was faster than.
type clash struct{ Conflict }

// Error implements error.
func (c *clash) Error() string { return fmt.Sprintf("%s %s", c.Path, c.Reason) }

// clash is the conflict of change i. Kept is the entry of the journal whose content
// has no other place, "" for none.
func (tx *Tx) clash(i int, reason, kept string) error {
	c := &clash{Conflict{Path: tx.rec.Changes[i].Path, Reason: reason}}
	if kept != "" {
		c.Kept, tx.stuck = Name(path.Join(dirJournal, tx.rec.ID, kept)), true
	}
	return c
}

// do makes what is not made yet of the change that is due at the turn of change i.
func (tx *Tx) do(i int) error {
	i, ok := tx.due(i)
	if !ok {
		return nil
	}
	c := &tx.rec.Changes[i]
	if c.places() && tx.dead {
		switch fresh, err := tx.fresh(i, false); {
		case err != nil:
			return tx.failed(i, err)
		case !fresh: // it is in its place already, or damaged
			return tx.judge(i)
		}
	}
	e, err := tx.p.entry(c.Path)
	switch {
	case missing(err) && c.takes():
		return nil
	case gone(err):
		return tx.clash(i, folderGone, tx.unplaced(i))
	case err != nil:
		return tx.failed(i, err)
	}
	switch {
	case c.Op == Mode:
		err = tx.chmod(i, e, c.Before.Mode, c.After.Mode)
	case c.Op == Rename:
		err = tx.rename(i, e)
	case c.takes():
		err = tx.take(i, e)
	default:
		err = tx.put(i, e)
	}
	return tx.failed(i, err)
}

// failed is an error of change i, with its path.
func (tx *Tx) failed(i int, err error) error {
	var known *clash
	if err == nil || errors.As(err, &known) {
		return err
	}
	c := &tx.rec.Changes[i]
	return fmt.Errorf("%s %s: %w", c.Op, c.Path, err)
}

// unplaced names the new content of a change that a dead process wanted. The
// process of a living transaction has it.
func (tx *Tx) unplaced(i int) string {
	if c := &tx.rec.Changes[i]; tx.dead && (c.Op == Create || c.Op == Replace || c.Op == Symlink || c.Whole) {
		return tx.slotName(i)
	}
	return ""
}

// fresh reports whether the slot of change i holds what the change puts in its
// place: by its inode number or, where content is asked for, by that. The numbers
// of a dead process count for nothing: the files may have been restored from a copy
// since.
func (tx *Tx) fresh(i int, content bool) (bool, error) {
	c := &tx.rec.Changes[i]
	content = content || tx.dead || c.After.Inode == 0
	now, err := look(tx.slot(i), content)
	if err != nil || now.Type != c.After.Type {
		return false, err
	}
	return content && now.sameContent(&c.After) || !content && now.Inode == c.After.Inode, nil
}

// put puts the content of a slot in its place.
func (tx *Tx) put(i int, e durable.Entry) error {
	c := &tx.rec.Changes[i]
	switch {
	case tx.dead && c.Whole:
		if sound, err := tx.intact(i, tx.slot(i), true); err != nil {
			return err
		} else if !sound {
			return tx.clash(i, isDamaged, "")
		}
		if err := tx.dressWhole(i); err != nil {
			return err
		}
	case tx.dead:
		if now, err := look(e, true); err != nil || now.is(&c.After) {
			return err // it got there by a copy, or somebody did the same
		}
		if err := tx.dress(i); err != nil {
			return err
		}
	}
	if c.Before.Type == None {
		err := tx.p.s.renameNew(tx.slot(i), e)
		switch {
		case errors.Is(err, fs.ErrExist):
			return tx.occupied(i, e)
		case errors.Is(err, errors.ErrUnsupported) && !c.Whole:
			return tx.putCopy(i, e)
		}
		return err
	}
	err := tx.p.s.exchange(tx.slot(i), e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return tx.clash(i, isGone, tx.unplaced(i))
	case errors.Is(err, errors.ErrUnsupported):
		return tx.putCopy(i, e)
	case err != nil:
		return err
	}
	return tx.judge(i)
}

// dress gives the content of a slot its permissions, which a power cut may have
// taken.
func (tx *Tx) dress(i int) error {
	c, e := &tx.rec.Changes[i], tx.slot(i)
	now, err := look(e, false)
	if err != nil || now.Type == Link || now.Mode == c.After.Mode {
		return err
	}
	return durable.Chmod(e.Folder, e.Name, c.After.Mode)
}

// occupied is the end of a change that was to make something where something is.
func (tx *Tx) occupied(i int, e durable.Entry) error {
	if c := &tx.rec.Changes[i]; c.Op == Mkdir && !c.Whole {
		if now, err := look(e, false); err != nil || now.Type == Folder {
			return err
		}
	}
	return tx.clash(i, isThere, tx.unplaced(i))
}

// judge compares what a change has displaced with what it was reviewed for. What
// is something else goes back to its place.
func (tx *Tx) judge(i int) error {
	c := &tx.rec.Changes[i]
	if c.Before.Type == None {
		return nil
	}
	was, err := look(tx.slot(i), true)
	if err != nil || was.Type == None || was.is(&c.Before) {
		return err
	}
	if tx.dead && was.Inode == c.After.Inode && was.Inode != 0 && was.Type == c.After.Type {
		return tx.clash(i, isDamaged, "")
	}
	reason := isChanged
	if was.Type != c.Before.Type {
		reason = isElse
	}
	e, err := tx.p.entry(c.Path)
	if gone(err) {
		return tx.clash(i, reason, tx.slotName(i))
	} else if err != nil {
		return err
	}
	if err := tx.p.s.exchange(tx.slot(i), e); errors.Is(err, fs.ErrNotExist) {
		// It was removed since: what it was has its place back.
		err = tx.p.s.renameNew(tx.slot(i), e)
		if err != nil {
			return errors.Join(tx.clash(i, reason, tx.slotName(i)), err)
		}
		return tx.clash(i, reason, "")
	} else if err != nil {
		return err
	}
	return tx.giveBack(i, e, reason)
}

// giveBack looks at what came back into the slot of change i when the entry got what
// it had before. If that is not what the change had put there, somebody has
// changed it in between, and the newest stays in the project.
func (tx *Tx) giveBack(i int, e durable.Entry, reason string) error {
	back, err := tx.fresh(i, true)
	if err != nil {
		return err
	}
	if back {
		return tx.clash(i, reason, tx.unplaced(i))
	}
	if err := tx.p.s.exchange(tx.slot(i), e); err != nil {
		return errors.Join(tx.clash(i, reason, tx.slotName(i)), err)
	}
	return tx.clash(i, reason, tx.slotName(i))
}
