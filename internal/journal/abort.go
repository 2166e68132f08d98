package journal

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// abort takes back what a living transaction has done. The error is why.
func (tx *Tx) abort(why error) error {
	var clash *clash
	from := tx.made
	if errors.As(why, &clash) {
		from-- // the change that clashed has put back what it found
		tx.rec.Conflicts = append(tx.rec.Conflicts, clash.Conflict)
	}
	if from >= 0 {
		tx.rec.Back = true
		err := tx.rewrite()
		if err == nil {
			err = tx.back(min(from, len(tx.rec.Changes)-1))
		}
		if err != nil { // the next Open settles it
			tx.over = true
			return errors.Join(why, fmt.Errorf("take back what was done: %w", err), tx.dir.Close())
		}
	}
	tx.name()
	conflicts := tx.rec.Conflicts
	if err := tx.drop(); err != nil {
		return errors.Join(why, err)
	}
	if len(conflicts) > 0 {
		return &ConflictError{conflicts}
	}
	return why
}

// name says of conflicts where the contents lie that have no place now.
func (tx *Tx) name() {
	for i := range tx.rec.Conflicts {
		c := &tx.rec.Conflicts[i]
		if !tx.stuck {
			c.Kept = ""
		} else if rest, ok := strings.CutPrefix(string(c.Kept), path.Join(dirJournal, tx.rec.ID)); ok {
			c.Kept = Name(path.Join(dirJournal, keptPrefix+tx.rec.ID) + rest)
		}
	}
}

// back reverts the changes that were made, up to one of them, last first. A path that
// somebody else has changed since stays, and becomes a conflict.
func (tx *Tx) back(from int) error {
	for i := from; i >= 0; i-- {
		err := tx.undo(i)
		var clash *clash
		if errors.As(err, &clash) {
			if !slices.ContainsFunc(tx.rec.Conflicts, func(c Conflict) bool { return c.Path == clash.Path }) {
				tx.rec.Conflicts = append(tx.rec.Conflicts, clash.Conflict)
			}
		} else if err != nil {
			return err
		}
	}
	return tx.flush()
}
