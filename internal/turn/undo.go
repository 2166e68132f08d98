package turn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// UndoRequest takes the file changes of a turn back.
type UndoRequest struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
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
	// Note says what became of an earlier undo of the turn that a crash cut off.
	Note string `json:"note,omitempty"`
}

// Undo implements [Rope], under the session's lease: no turn can run meanwhile.
//
// The files come first, in one transaction of the journal; it ends when the undo is
// on record, durably. Should the process die in between, whoever opens the project
// next completes the files, and the next lease of the session the record. A file
// that a person has put back by hand is no obstacle.
func (l *Local) Undo(ctx context.Context, r UndoRequest) (result UndoResult, err error) {
	if err := r.check(); err != nil {
		return UndoResult{}, err
	}
	if err := l.enter(); err != nil {
		return UndoResult{}, err
	}
	defer l.leave()
	var lease *session.Lease
	err = l.whenFree(ctx, r.SessionID, func() (err error) {
		lease, err = l.o.Store.Acquire(ctx, r.SessionID)
		return err
	})
	if errors.Is(err, session.ErrBusy) {
		return UndoResult{}, busy(r.SessionID)
	}
	if err != nil {
		return UndoResult{}, err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	return l.undo(ctx, lease, r)
}

func (r UndoRequest) check() error {
	var bad []fault.Problem
	if strings.TrimSpace(r.TurnID) == "" {
		bad = append(bad, fault.Problem{Field: "turnId", Message: "is required"})
	}
	if !goodName(r.By) {
		bad = append(bad, fault.Problem{Field: "by", Message: nameRule})
	}
	return fault.Invalid(bad)
}

func (l *Local) undo(ctx context.Context, lease *session.Lease, r UndoRequest) (UndoResult, error) {
	switch p, err := l.paused(ctx, lease); {
	case err != nil:
		return UndoResult{}, err
	case p != nil:
		return UndoResult{}, busy(r.SessionID).WithHint("its process died while a call waited for a decision: answer that, or interrupt the turn")
	}
	if err := l.settleRecord(ctx, lease); err != nil {
		return UndoResult{}, err
	}
	if said := lease.Tampered(); len(said) > 0 {
		return UndoResult{}, fault.New(fault.ContentChanged, "the session's record was changed from outside, and it says what would be undone: %s", strings.Join(said, "; ")).
			With("paths", []string{}).WithHint("look at it with belay session changes %s; if it is right, undo again", r.SessionID)
	}
	untold, err := l.untold(lease.Record().ProjectRoot, r.SessionID)
	if err != nil {
		return UndoResult{}, err
	}
	changes, done, err := undoable(lease.Entries(), r)
	if err == nil && !done.Already {
		done, err = l.takeBack(ctx, lease, r, changes, done)
	}
	if err != nil {
		return UndoResult{}, err
	}
	done.Note = notesOn(untold, r.TurnID)
	return done, l.o.Journal.Forget(lease.Record().ProjectRoot, untold...)
}

// takeBack makes the files what they were before the changes, and puts that on
// record.
func (l *Local) takeBack(ctx context.Context, lease *session.Lease, r UndoRequest, changes []session.Change, done UndoResult) (_ UndoResult, err error) {
	rec := lease.Record()
	if rec.ProjectRoot, err = l.projectRoot(rec.ProjectRoot); err != nil {
		return UndoResult{}, err
	}
	root, err := os.OpenRoot(rec.ProjectRoot)
	if err != nil {
		return UndoResult{}, fault.New(fault.StorageFailure, "the project folder could not be opened").Because(err)
	}
	defer func() { _ = root.Close() }() // it holds nothing but a place
	pass, err := l.pass(ctx, rec.ProjectRoot)
	if err != nil {
		return UndoResult{}, err
	}
	defer func() { err = errors.Join(err, pass.Leave()) }()
	j, err := l.openJournal(ctx, rec.ProjectRoot, root)
	if err != nil {
		return UndoResult{}, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if err := lease.Boot(); err != nil {
		return UndoResult{}, err
	}
	tx, err := l.putBack(ctx, lease, files.Undo{
		Journal: j, Owner: journal.Owner{What: whatUndo, Session: r.SessionID, Turn: r.TurnID, By: r.By}, Root: root, Changes: changes,
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
	done.Time = session.Time{Time: l.o.Clock()}
	// The files are done: what is left must not depend on who waits for it.
	ctx = context.WithoutCancel(ctx)
	if err := l.auditUndo(ctx, rec, r, done); err != nil {
		return UndoResult{}, err
	}
	entry := undoEntry(r, done)
	entry.Audit = l.auditPosition()
	if err := lease.Append(entry); err != nil {
		return UndoResult{}, err
	}
	if err := lease.Commit(ctx); err != nil {
		return UndoResult{}, err
	}
	if tx != nil {
		tx.Done()
	}
	// Whoever follows the session is told when it is on record.
	return done, l.emitUndone(lease, entry)
}

func undoEntry(r UndoRequest, done UndoResult) session.Entry {
	return session.Entry{Kind: session.EntryUndo, Turn: r.TurnID, Time: done.Time, Paths: done.Paths, By: r.By}
}

func (l *Local) emitUndone(lease *session.Lease, e session.Entry) error {
	_, err := lease.Emit("", event.Draft{Type: event.ChangesUndone, Data: event.Undone{TurnID: e.Turn, Paths: e.Paths, By: e.By}})
	return err
}

// undoable are a turn's changes as they can be taken back, and the result of
// doing so; it is the earlier one's where they were.
func undoable(entries []session.Entry, r UndoRequest) ([]session.Change, UndoResult, error) {
	done := UndoResult{TurnID: r.TurnID}
	if _, known := findTurn(entries, r.TurnID); !known {
		return nil, done, noTurn(r.SessionID, r.TurnID)
	}
	for _, e := range slices.Backward(entries) {
		if e.Kind == session.EntryUndo && e.Turn == r.TurnID {
			done.Paths, done.Time, done.Already = orNone(e.Paths), e.Time, true
			return nil, done, nil
		}
	}
	var changes []session.Change
	for _, turn := range changesIn(entries, r.TurnID) {
		for _, c := range turn.Changes {
			if c.Restored {
				continue // it was undone at once
			}
			if inGit(c.Path) {
				continue // what a repository consists of is git's to take back
			}
			if c.Path == ".belay" || strings.HasPrefix(c.Path, ".belay/") {
				return nil, done, fault.New(fault.ContentChanged, "the record names a file that no tool can have changed").
					With("paths", []string{c.Path}).WithHint("restore the transcript from a copy")
			}
			changes = append(changes, c.Change)
			done.Paths = append(done.Paths, c.Path)
		}
	}
	if len(changes) == 0 {
		return nil, done, fault.New(fault.NotFound, "turn %s changed no file, so there is nothing to take back", r.TurnID).
			With("turn", r.TurnID).WithHint("see which turns did with belay session changes %s", r.SessionID)
	}
	slices.Sort(done.Paths)
	done.Paths = slices.Compact(done.Paths)
	return changes, done, nil
}

// inGit reports whether a path lies in a repository's own folder. A command that
// makes a repository has its first files on record; taking only these away would
// leave a broken one.
func inGit(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

// putBack makes the files what they were before the changes. The transaction, nil
// where they were that already, ends when that is on record.
func (l *Local) putBack(ctx context.Context, lease *session.Lease, u files.Undo) (*journal.Tx, error) {
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
		return nil, fault.New(fault.ContentChanged, "changed since the turn, so nothing was undone: %s", listed(conflicts)).With("paths", conflicts).
			WithHint("undo later turns that changed them first, or look at the files and change them by hand")
	}
	return tx, nil
}

// pass enters the project to change files of it.
func (l *Local) pass(ctx context.Context, projectRoot string) (tool.Pass, error) {
	pass, err := l.o.Gate.Enter(ctx, projectRoot)
	if refusal, ok := tool.AsRefusal(err); ok {
		return nil, fault.New(fault.Overloaded, "%s", refusal.Reason).WithHint("undo again").Because(err)
	}
	return pass, err
}

// notUndone is the fault for files that could not be put back. They are as they
// were before the undo.
func notUndone(err error) error {
	var lost *files.LostError
	switch {
	case errors.As(err, &lost):
		return fault.New(fault.ContentChanged, "nothing was undone: %v", lost).With("paths", []string{lost.Path}).
			WithHint("change the file by hand")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fault.New(fault.StorageFailure, "nothing was undone: the files could not be written").Because(err).
		WithHint("free disk space, check the files' permissions, and undo again")
}

func (l *Local) auditUndo(ctx context.Context, rec session.Record, r UndoRequest, done UndoResult) error {
	if l.o.Audit == nil {
		return nil
	}
	return l.o.Audit.Append(ctx, permit.Entry{
		Kind: "undo", SessionID: r.SessionID, TurnID: r.TurnID, Project: rec.ProjectRoot, By: r.By,
		Summary: "the changes of the turn were taken back: " + listed(done.Paths),
	})
}

// maxTakenBack is how many undos a turn is told of; with more than that in a row
// the last ones say enough.
const maxTakenBack = 10

// takenBack is what a turn has to be told first: the changes that were taken back
// since the turn before it, "" for none. It is part of the turn's record, so later
// turns repeat it where it was said.
func takenBack(entries []session.Entry) string {
	var notes []string
	for _, e := range slices.Backward(entries) {
		if e.Kind == session.EntryTurn || len(notes) == maxTakenBack {
			break
		}
		if e.Kind != session.EntryUndo {
			continue
		}
		about := ""
		if begun, ok := findTurn(entries, e.Turn); ok {
			about = fmt.Sprintf(" (%q)", cutText(strings.Join(strings.Fields(begun.Message), " "), 80))
		}
		notes = append(notes, fmt.Sprintf("[The person took back the file changes of an earlier turn%s. As before that turn again: %s]", about, listed(e.Paths)))
	}
	slices.Reverse(notes)
	return strings.Join(notes, "\n")
}

// joined puts two paragraphs together, either of which may be missing.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
