package journal

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"belay/internal/durable"
)

// ErrUnsettled says that a transaction failed and that what it did could not be taken back.
// The next Open of the journal takes it back or makes all of it.
var ErrUnsettled = errors.New("journal: what was changed could not be put back yet")

// abort takes back what a living transaction has done. The error is why.
func (tx *Tx) abort(why error) error {
	var clash *clash
	from := tx.made
	if errors.As(why, &clash) {
		from-- // the change that clashed has put back what it found
		tx.rec.Conflicts = append(tx.rec.Conflicts, clash.Conflict)
	}
	var unrecorded error
	if from >= 0 {
		tx.rec.Back = true
		// A full disk keeps no new record, but the files can go back all the same.
		unrecorded = tx.rewrite()
		if err := tx.back(min(from, len(tx.rec.Changes)-1)); err != nil {
			tx.over = true
			return errors.Join(why, fmt.Errorf("%w: %w", ErrUnsettled, errors.Join(unrecorded, err)), tx.close())
		}
	}
	if err := tx.name(); err != nil {
		tx.over = true
		return errors.Join(why, unsettled(unrecorded, err), tx.close())
	}
	conflicts := tx.rec.Conflicts
	if err := tx.drop(); err != nil {
		return errors.Join(why, unsettled(unrecorded, err))
	}
	if len(conflicts) > 0 {
		return &ConflictError{conflicts}
	}
	return why
}

// unsettled is an error after the files went back. Where the record does not say that they
// did, the next Open makes the changes after all.
func unsettled(unrecorded, err error) error {
	if unrecorded == nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnsettled, errors.Join(unrecorded, err))
}

// conflict notes a conflict. A path has one, and what is kept of it is named.
func (tx *Tx) conflict(c Conflict) {
	i := slices.IndexFunc(tx.rec.Conflicts, func(known Conflict) bool { return known.Path == c.Path })
	switch {
	case i < 0:
		tx.rec.Conflicts = append(tx.rec.Conflicts, c)
	case tx.rec.Conflicts[i].Kept == "":
		tx.rec.Conflicts[i].Kept = c.Kept
	}
}

// name says of conflicts where the contents are that have no place now. What goes back
// to where it was taken from has one.
func (tx *Tx) name() error {
	tx.stuck = false
	for i := range tx.rec.Conflicts {
		c := &tx.rec.Conflicts[i]
		if err := tx.rescue(c); err != nil {
			return err
		}
		if rest, ok := strings.CutPrefix(string(c.Kept), path.Join(dirJournal, tx.rec.ID)); ok {
			c.Kept, tx.stuck = Name(path.Join(dirJournal, keptPrefix+tx.rec.ID)+rest), true
		}
	}
	return nil
}

// rescue takes what a conflict keeps out of contents that are about to go back, unless
// it belongs there.
func (tx *Tx) rescue(c *Conflict) error {
	i := slices.IndexFunc(tx.rec.Changes, func(s Change) bool { return s.Taken && s.Path == c.Path })
	if i < 0 || !tx.returns() || c.Kept != Name(path.Join(dirJournal, tx.rec.ID, tx.step(i).slotName())) {
		return nil
	}
	was, err := look(tx.step(i).slot(), true)
	if err == nil && was.sameContent(&tx.rec.Changes[i].After) {
		c.Kept = ""
		return nil
	}
	if err == nil && was.Type != None {
		err = tx.p.s.renameNew(tx.step(i).slot(), durable.Entry{Folder: tx.dir, Name: slot(i)})
	}
	c.Kept = Name(path.Join(dirJournal, tx.rec.ID, slot(i)))
	return err
}

// back reverts the changes that were made, up to one of them, last first. A path that
// somebody else has changed since stays, and becomes a conflict.
func (tx *Tx) back(from int) error {
	for i := from; i >= 0; i-- {
		i, ok := tx.due(i)
		if !ok {
			continue
		}
		err := tx.step(i).undo()
		if clash, ok := errors.AsType[*clash](err); ok {
			tx.conflict(clash.Conflict)
		} else if err != nil {
			return err
		}
	}
	return tx.flush()
}
