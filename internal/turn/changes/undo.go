package changes

import (
	"context"
	"errors"
	"strings"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool/files"
	"belay/internal/tool/shell"
	"belay/internal/workspace"
)

// UndoRequest takes the file changes of a turn back.
type UndoRequest struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
	// RunsByItself says that files which other programs run by themselves are meant to be
	// put back. Without it an undo that would make any is refused.
	RunsByItself bool `json:"runsByItself,omitempty"`
	// By is who says so, for the record.
	By string `json:"by,omitempty"`
}

// UndoResult is what an undo did.
type UndoResult struct {
	TurnID string `json:"turnId"`
	// Paths are the files that are as they were before the turn, sorted.
	Paths []string `json:"paths"`
	// Time is when the changes were taken back. Already is set where that had been
	// done before: then this undo did nothing.
	Time    session.Time `json:"time"`
	Already bool         `json:"already,omitempty"`
	// Note says the outcome of an earlier undo of the turn that a crash cut off.
	Note string `json:"note,omitempty"`
}

// Undo takes a turn's file changes back, all of them or none, under the session's lease:
// no turn can run meanwhile.
//
// The files come first, in one transaction of the journal; it ends when the undo is
// on record, durably. Should the process die in between, anyone who opens the project
// next completes the files, and the next lease of the session the record. A file
// that a person has put back by hand is no obstacle.
//
// The record says what the files were, and it may have come with the project: what would
// be made is reviewed like kept changes ([shell.ReviewUndo]).
func (c *Changes) Undo(ctx context.Context, r UndoRequest) (result UndoResult, err error) {
	if err := r.check(); err != nil {
		return UndoResult{}, err
	}
	if err := c.engine.Enter(); err != nil {
		return UndoResult{}, err
	}
	defer c.engine.Leave()
	lease, err := c.engine.Acquire(ctx, r.SessionID)
	if err != nil {
		return UndoResult{}, err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	return c.undo(ctx, lease, r)
}

func (r UndoRequest) check() error {
	var bad []fault.Problem
	if strings.TrimSpace(r.TurnID) == "" {
		bad = append(bad, fault.Problem{Field: "turnId", Message: "is required"})
	}
	if !session.GoodName(r.By) {
		bad = append(bad, fault.Problem{Field: "by", Message: session.NameRule})
	}
	return fault.Invalid(bad)
}

func (c *Changes) undo(ctx context.Context, lease *session.Lease, r UndoRequest) (UndoResult, error) {
	if said := lease.Tampered(); len(said) > 0 {
		refused := fault.New(fault.ContentChanged, "the session's record was changed from outside, and it says what would be undone: %s", strings.Join(said, "; ")).
			With("paths", []string{}).WithHint("look at it with belay session changes %s; if it is right, undo again", r.SessionID)
		return UndoResult{}, errors.Join(refused, lease.Reported())
	}
	unreported, err := c.files.Unreported(lease.Record().ProjectRoot, r.SessionID)
	if err != nil {
		return UndoResult{}, err
	}
	changes, done, err := Undoable(lease.Entries(), r)
	if err == nil && !done.Already {
		done, err = c.takeBack(ctx, lease, r, changes, done)
	}
	if err != nil {
		return UndoResult{}, err
	}
	done.Note = notesOn(unreported, r.TurnID)
	return done, c.files.Journal.Forget(lease.Record().ProjectRoot, unreported...)
}

// takeBack makes the files what they were before the changes, and puts that on
// record.
func (c *Changes) takeBack(ctx context.Context, lease *session.Lease, r UndoRequest, changes []session.Change, done UndoResult) (_ UndoResult, err error) {
	rec := lease.Record()
	if rec.ProjectRoot, err = c.engine.ProjectRoot(rec.ProjectRoot); err != nil {
		return UndoResult{}, err
	}
	root, err := workspace.OpenProject(rec.ProjectRoot)
	if err != nil {
		return UndoResult{}, err
	}
	defer func() { _ = root.Close() }() // it holds nothing but a place
	pass, err := c.files.enter(ctx, rec.ProjectRoot)
	if err != nil {
		return UndoResult{}, err
	}
	defer func() { err = errors.Join(err, pass.Leave()) }()
	j, err := c.files.openJournal(ctx, rec.ProjectRoot, root)
	if err != nil {
		return UndoResult{}, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if err := lease.Boot(); err != nil {
		return UndoResult{}, err
	}
	w, err := c.engine.Place(rec.ProjectRoot, root)
	if err != nil {
		return UndoResult{}, err
	}
	tx, err := putBack(ctx, lease, files.Undo{
		Journal: j, Owner: journal.Owner{What: whatUndo, Session: r.SessionID, Turn: r.TurnID, By: r.By}, Root: root, Changes: changes,
		Review: func(made []journal.Change) error { return shell.ReviewUndo(ctx, w, made, r.RunsByItself) },
	})
	if err != nil {
		return UndoResult{}, err
	}
	if tx != nil {
		defer func() {
			if err != nil {
				err = errors.Join(err, tx.Leave())
			}
		}()
	}
	done.Time = session.Time{Time: c.files.Clock()}
	// The files are done: what is left must not depend on who waits for it.
	ctx = context.WithoutCancel(ctx)
	if err := c.files.auditUndo(ctx, rec, r, done); err != nil {
		return UndoResult{}, err
	}
	entry := undoEntry(r, done)
	entry.Audit = (*session.AuditPosition)(c.files.Audit.Position())
	if err := lease.Append(entry); err != nil {
		return UndoResult{}, err
	}
	if err := lease.Commit(ctx); err != nil {
		return UndoResult{}, err
	}
	if tx != nil {
		tx.Done()
	}
	// Anyone who follows the session is notified when it is on record.
	return done, emitUndone(lease, entry)
}

func undoEntry(r UndoRequest, done UndoResult) session.Entry {
	return session.Entry{Kind: session.EntryUndo, Turn: r.TurnID, Time: done.Time, Paths: done.Paths, By: r.By}
}

// putBack makes the files what they were before the changes. The transaction, nil
// where they were that already, ends when that is on record.
func putBack(ctx context.Context, lease *session.Lease, u files.Undo) (*journal.Tx, error) {
	blobs, err := lease.Blobs()
	if err != nil {
		return nil, err
	}
	u.Blobs = blobs
	tx, conflicts, err := files.Revert(ctx, u)
	if err != nil {
		return nil, notUndone(err)
	}
	if len(conflicts) > 0 {
		return nil, fault.New(fault.ContentChanged, "changed since the turn, so nothing was undone: %s", fault.List(conflicts)).With("paths", conflicts).
			WithHint("undo later turns that changed them first, or look at the files and change them by hand")
	}
	return tx, nil
}

// notUndone is the fault for files that could not be put back. They are as they
// were before the undo, or the error says that they are not.
func notUndone(err error) error {
	var lost *files.LostError
	var never *shell.NotAdmittedError
	var runs *shell.RunsByItselfError
	switch {
	case errors.Is(err, journal.ErrUnsettled):
		return files.Unsettled(err)
	case errors.As(err, &never):
		return fault.New(fault.Forbidden, "nothing was undone: %v", never).With("reason", never.Reason).With("paths", []string{string(never.Path)}).
			WithHint("change the file by hand")
	case errors.As(err, &runs):
		return fault.New(fault.InvalidRequest, "nothing was undone: %v", runs).With("field", "runsByItself").With("files", runs.Files).
			WithHint("look at them with belay session changes; if they are meant, undo with --runs-by-itself (runsByItself over HTTP)")
	case errors.As(err, &lost):
		return fault.New(fault.ContentChanged, "nothing was undone: %v", lost).With("paths", []string{lost.Path}).
			WithHint("change the file by hand")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fault.New(fault.StorageFailure, "nothing was undone: the files could not be written").Because(err).
		WithHint("free disk space, check the files' permissions, and undo again")
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
