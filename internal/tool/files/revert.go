package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
)

// LostError says that a change cannot be taken back because what was there before
// was not kept.
type LostError struct{ Path, Reason string }

// Error implements error.
func (e *LostError) Error() string {
	return fmt.Sprintf("%s cannot be taken back: %s", e.Path, e.Reason)
}

// Undo is what a [Revert] takes back, and of what.
type Undo struct {
	Journal *journal.Project
	Owner   journal.Owner
	// Root is the project, which the caller has entered, so that nobody else of belay
	// changes a file meanwhile.
	Root  *os.Root
	Blobs tool.Blobs
	// Changes are in the order in which they were made; those that were undone at
	// once ([session.Change.Restored]) do not count.
	Changes []session.Change
	// Review looks at what would be done, before it is. Its error ends the undo. Nil lets
	// everything pass.
	Review func([]journal.Change) error
}

// Revert takes changes back, all of them or none: afterwards every file has the
// bytes and permissions that it had before the first change of it, and folders
// that were made are gone where they are empty.
//
// Every file is looked at first. One that is as it was before already is fine:
// somebody has put it back. Conflicts names, sorted, those that are neither that
// nor what the last change left, that something else changed between two of the
// changes, or that are behind a link now; then nothing is done. A [*LostError]
// says the same of a content that was not kept.
//
// The files are changed in one transaction of the journal, which the caller ends
// ([journal.Tx.Done]) when the undo is on record. It is nil where nothing was to be
// done.
func Revert(ctx context.Context, u Undo) (tx *journal.Tx, conflicts []string, err error) {
	targets := netChanges(u.Changes)
	markReplaced(u.Root, targets)
	for i := range targets {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		same, err := targets[i].check(u.Root, u.Blobs)
		if err != nil {
			return nil, nil, err
		}
		if !same {
			conflicts = append(conflicts, targets[i].path)
		}
	}
	if len(conflicts) > 0 {
		slices.Sort(conflicts)
		return nil, conflicts, nil
	}
	plan := journal.Plan{Owner: u.Owner, Changes: back(u.Root, targets)}
	if len(plan.Changes) == 0 {
		return nil, nil, nil
	}
	if u.Review != nil {
		if err := u.Review(plan.Changes); err != nil {
			return nil, nil, err
		}
	}
	if tx, err = u.Journal.Begin(plan); err != nil {
		return overtaken(err)
	}
	if err := tx.Prepare(); err != nil {
		if damaged := (*journal.ContentError)(nil); errors.As(err, &damaged) {
			err = &LostError{string(damaged.Path), "what was kept of it is damaged"}
		}
		return nil, nil, err
	}
	if err := tx.Apply(ctx); err != nil {
		return overtaken(err)
	}
	return tx, nil, nil
}

// overtaken is the end of a transaction that was not made. Files that somebody
// changed in the meantime are conflicts like any other.
func overtaken(err error) (*journal.Tx, []string, error) {
	var conflict *journal.ConflictError
	if !errors.As(err, &conflict) {
		return nil, nil, err
	}
	var paths []string
	for _, c := range conflict.Conflicts {
		paths = append(paths, string(c.Path))
	}
	slices.Sort(paths)
	return nil, slices.Compact(paths), nil
}
