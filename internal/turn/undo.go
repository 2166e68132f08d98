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
}

// Undo implements [Rope], under the session's lease: no turn can run meanwhile.
//
// The files come first, the record follows. Should the process die in between,
// the next undo of the turn finds the files as they are to be and completes the
// record; a file that a person has put back by hand is no obstacle either.
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
	changes, done, err := undoable(lease.Entries(), r)
	if err != nil || done.Already {
		return done, err
	}
	rec := lease.Record()
	if rec.ProjectRoot, err = l.projectRoot(rec.ProjectRoot); err != nil {
		return UndoResult{}, err
	}
	blobs, err := lease.Blobs()
	if err != nil {
		return UndoResult{}, err
	}
	if err := l.putBack(ctx, rec.ProjectRoot, blobs, changes); err != nil {
		return UndoResult{}, err
	}
	done.Time = session.Time{Time: l.o.Clock()}
	// The files are done: what is left must not depend on who waits for it.
	ctx = context.WithoutCancel(ctx)
	if err := l.auditUndo(ctx, rec, r, done); err != nil {
		return UndoResult{}, err
	}
	err = lease.Append(session.Entry{Kind: session.EntryUndo, Turn: r.TurnID, Time: done.Time, Paths: done.Paths, By: r.By})
	if err != nil {
		return UndoResult{}, err
	}
	if err := lease.Commit(ctx); err != nil {
		return UndoResult{}, err
	}
	// Whoever follows the session is told when it is on record.
	_, err = lease.Emit("", event.Draft{Type: event.ChangesUndone, Data: event.Undone{TurnID: r.TurnID, Paths: done.Paths, By: r.By}})
	return done, err
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

// putBack makes the files what they were before the changes.
func (l *Local) putBack(ctx context.Context, projectRoot string, blobs *session.Blobs, changes []session.Change) error {
	root, err := os.OpenRoot(projectRoot)
	if err != nil {
		return fault.New(fault.StorageFailure, "the project folder could not be opened").Because(err)
	}
	defer func() { _ = root.Close() }() // it holds nothing but a place
	pass, err := l.pass(ctx, projectRoot)
	if err != nil {
		return err
	}
	conflicts, err := files.Revert(ctx, root, blobs, changes, pass)
	if err = errors.Join(err, pass.Leave()); err != nil {
		return notUndone(err)
	}
	if len(conflicts) > 0 {
		return fault.New(fault.ContentChanged, "changed since the turn, so nothing was undone: %s", listed(conflicts)).With("paths", conflicts).
			WithHint("undo later turns that changed them first, or look at the files and change them by hand")
	}
	return nil
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
