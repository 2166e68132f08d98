package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"belay/internal/durable"
)

// step is one change of a transaction, to be made or taken back.
type step struct {
	tx *Tx
	i  int // its number in the record
	c  *Change
}

func (tx *Tx) step(i int) step { return step{tx: tx, i: i, c: &tx.rec.Changes[i]} }

// clash is the error of a change that somebody else was faster than.
type clash struct{ Conflict }

// Error implements error.
func (c *clash) Error() string { return fmt.Sprintf("%s %s", c.Path, c.Reason) }

// clash is the conflict of the change. Kept is the entry of the journal whose content
// has no other place, "" for none.
func (s step) clash(reason, kept string) error {
	c := &clash{Conflict{Path: s.c.Path, Reason: reason}}
	if kept != "" {
		c.Kept, s.tx.stuck = Name(path.Join(dirJournal, s.tx.rec.ID, kept)), true
	}
	return c
}

// do makes what is not made yet of the change.
func (s step) do() error {
	c := s.c
	if c.places() && s.tx.dead {
		switch fresh, err := s.fresh(false); {
		case err != nil:
			return s.failed(err)
		case !fresh: // it is in its place already, or damaged
			return s.judge()
		}
	}
	e, err := s.tx.p.entry(c.Path)
	switch {
	case missing(err) && c.takes(), gone(err) && c.takes() && s.linked():
		return nil
	case gone(err):
		return s.clash(folderGone, s.unplaced())
	case err != nil:
		return s.failed(err)
	}
	switch {
	case c.Op == Mode:
		err = s.chmod(e, c.Before.Mode, c.After.Mode)
	case c.Op == Rename:
		err = s.rename(e)
	case c.takes():
		err = s.take(e)
	default:
		err = s.put(e)
	}
	return s.failed(err)
}

// linked reports whether a later change has put a link in the place of a folder above, which it
// could only when this change was made.
func (s step) linked() bool {
	for i := s.i + 1; i < len(s.tx.rec.Changes); i++ {
		later := &s.tx.rec.Changes[i]
		if later.Op != Symlink || !strings.HasPrefix(string(s.c.Path), string(later.Path)+"/") {
			continue
		}
		now, err := Look(s.tx.p.root, later.Path, false)
		return err == nil && now.sameContent(&later.After)
	}
	return false
}

// failed is an error of the change, with its path. The names that the journal has for its
// contents say nothing to a reader.
func (s step) failed(err error) error {
	var known *clash
	if err == nil || errors.As(err, &known) {
		return err
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		err = link.Err
	}
	return fmt.Errorf("%s %s: %w", s.c.Op, s.c.Path, err)
}

// unplaced names the new content of a change that a dead process wanted. The
// process of a living transaction has it.
func (s step) unplaced() string {
	if c := s.c; s.tx.dead && (c.Op == Create || c.Op == Replace || c.Op == Symlink || c.Whole) {
		return s.slotName()
	}
	return ""
}

// fresh reports whether the slot holds what the change puts in its
// place: by its inode number or, where content is asked for, by that. The numbers
// of a dead process count for nothing: the files may have been restored from a copy
// since.
func (s step) fresh(content bool) (bool, error) {
	c := s.c
	content = content || s.tx.dead || c.After.Inode == 0
	now, err := look(s.slot(), content)
	if err != nil || now.Type != c.After.Type {
		return false, err
	}
	return content && now.sameContent(&c.After) || !content && now.Inode == c.After.Inode, nil
}

// put puts the content of a slot in its place.
func (s step) put(e durable.Entry) error {
	c := s.c
	switch {
	case s.tx.dead && c.Whole:
		if sound, err := s.intact(s.slot(), true); err != nil {
			return err
		} else if !sound {
			return s.clash(isDamaged, "")
		}
		if err := s.dressWhole(); err != nil {
			return err
		}
	case s.tx.dead:
		if now, err := look(e, true); err != nil || now.is(&c.After) {
			return err // it got there by a copy, or somebody did the same
		}
		if err := s.dress(); err != nil {
			return err
		}
	}
	if c.Before.Type == None {
		err := s.tx.p.s.renameNew(s.slot(), e)
		switch {
		case errors.Is(err, fs.ErrExist):
			return s.occupied(e)
		case errors.Is(err, errors.ErrUnsupported) && !c.Whole:
			return s.putCopy(e)
		}
		return err
	}
	err := s.tx.p.s.exchange(s.slot(), e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.clash(isGone, s.unplaced())
	case errors.Is(err, errors.ErrUnsupported):
		return s.putCopy(e)
	case err != nil:
		return err
	}
	return s.judge()
}

// dress gives the content of a slot its permissions, which a power cut may have
// taken.
func (s step) dress() error {
	c, e := s.c, s.slot()
	now, err := look(e, false)
	if err != nil || now.Type == Link || now.Mode == c.After.Mode {
		return err
	}
	return durable.Chmod(e.Folder, e.Name, c.After.Mode)
}

// occupied is the end of a change that was to make something where something is.
func (s step) occupied(e durable.Entry) error {
	if c := s.c; c.Op == Mkdir && !c.Whole {
		if now, err := look(e, false); err != nil || now.Type == Folder {
			return err
		}
	}
	return s.clash(isThere, s.unplaced())
}

// judge compares what a change has displaced with what it was reviewed for. What
// is something else goes back to its place.
func (s step) judge() error {
	c := s.c
	if c.Before.Type == None {
		return nil
	}
	was, err := look(s.slot(), true)
	if err != nil || was.Type == None || was.is(&c.Before) {
		return err
	}
	if s.tx.dead && was.Inode == c.After.Inode && was.Inode != 0 && was.Type == c.After.Type {
		return s.clash(isDamaged, "")
	}
	reason := isChanged
	if was.Type != c.Before.Type {
		reason = isElse
	}
	e, err := s.tx.p.entry(c.Path)
	if gone(err) {
		return s.clash(reason, s.slotName())
	} else if err != nil {
		return err
	}
	if err := s.tx.p.s.exchange(s.slot(), e); errors.Is(err, fs.ErrNotExist) {
		// It was removed since: what it was has its place back.
		err = s.tx.p.s.renameNew(s.slot(), e)
		if err != nil {
			return errors.Join(s.clash(reason, s.slotName()), err)
		}
		return s.clash(reason, "")
	} else if err != nil {
		return err
	}
	return s.giveBack(e, reason)
}

// giveBack looks at what came back into the slot when the entry got what
// it had before. If that is not what the change had put there, somebody has
// changed it in between, and the newest stays in the project.
func (s step) giveBack(e durable.Entry, reason string) error {
	back, err := s.fresh(true)
	if err != nil {
		return err
	}
	if back {
		return s.clash(reason, s.unplaced())
	}
	if err := s.tx.p.s.exchange(s.slot(), e); err != nil {
		return errors.Join(s.clash(reason, s.slotName()), err)
	}
	return s.clash(reason, s.slotName())
}
