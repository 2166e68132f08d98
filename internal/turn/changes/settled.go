package changes

import (
	"context"
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

// settledFiles are the changes of files that were settled for a session, and the
// lines about them that its transcript lacks. Of calls that have no result the
// lines are made from their intents.
type settledFiles struct {
	all   []journal.Settled
	lines []session.Entry
}

// settle settles the project of a session. The caller holds the lease.
func (f *Files) settle(ctx context.Context, lease *session.Lease, root *os.Root, intents []session.Entry) (s settledFiles, err error) {
	rec := lease.Record()
	if err := f.Finish(ctx, rec.ProjectRoot, root); err != nil {
		return s, err
	}
	if s.all, err = f.Journal.Settled(rec.ProjectRoot, rec.SessionID); err != nil {
		return s, unknown(err)
	}
	for _, t := range s.all {
		if _, known := session.FindTurn(lease.Entries(), t.Owner.Turn); !known || t.Result != journal.Completed {
			continue
		}
		line, err := f.lineOn(ctx, lease, t, intents)
		if err != nil {
			return s, err
		}
		s.lines = append(s.lines, line...)
	}
	if len(s.lines) > 0 && len(intents) == 0 {
		err = lease.Boot() // no turn says that the record is about to grow
	}
	return s, err
}

// lineOn is the line that the transcript lacks about a transaction that was
// completed for a dead process, or none.
func (f *Files) lineOn(ctx context.Context, lease *session.Lease, t journal.Settled, intents []session.Entry) ([]session.Entry, error) {
	rec, entries := lease.Record(), lease.Entries()
	if t.Owner.What != whatUndo {
		found := finding{origin: tool.Origin{TurnID: t.Owner.Turn, Agent: t.Owner.Agent, CallID: t.Owner.Call}, changes: files.Recorded(t.Changes)}
		if len(found.changes) == 0 || slices.ContainsFunc(intents, func(e session.Entry) bool { return tells(e, t) }) || onRecord(entries, found) {
			return nil, nil
		}
		return []session.Entry{f.late(lease, found, false)}, nil
	}
	r := UndoRequest{SessionID: rec.SessionID, TurnID: t.Owner.Turn, By: t.Owner.By}
	standing, done, err := Undoable(entries, r)
	if err != nil || done.Already {
		return nil, nil // it is on record, or the record was changed from outside
	}
	// What a person applied since then is not what it took back.
	if done.Paths = takenBackBy(standing, files.Recorded(t.Changes)); len(done.Paths) == 0 {
		return nil, nil
	}
	done.Time = session.Time{Time: t.Time}
	if err := f.auditUndo(ctx, rec, r, done); err != nil {
		return nil, err
	}
	return []session.Entry{undoEntry(r, done)}, nil
}

// takenBackBy are the paths of those changes that an undo took back, sorted: it found what
// they had made.
func takenBackBy(standing, undo []session.Change) []string {
	var paths []string
	for _, c := range standing {
		if slices.ContainsFunc(undo, func(u session.Change) bool { return u.Path == c.Path && u.Before == c.After }) {
			paths = append(paths, c.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// onRecord reports whether a change of a call is on record.
func onRecord(entries []session.Entry, f finding) bool {
	return slices.ContainsFunc(entries, func(e session.Entry) bool {
		return e.Turn == f.origin.TurnID && e.Kind != session.EntryIntent && slices.ContainsFunc(e.Changes, func(c session.Change) bool {
			return c.Call == f.origin.CallID && c.Path == f.changes[0].Path
		})
	})
}

// tells reports whether an intent is of a call that began a transaction.
func tells(intent session.Entry, t journal.Settled) bool {
	return t.Owner.What != whatUndo && t.Owner.Turn == intent.Turn && t.Owner.Agent == intent.Agent && t.Owner.Call == intent.Changes[0].Call
}

// of returns the outcome of the change that an intent reports.
func (s settledFiles) of(intent session.Entry) (journal.Settled, bool) {
	i := slices.IndexFunc(s.all, func(t journal.Settled) bool { return tells(intent, t) })
	if i < 0 {
		return journal.Settled{}, false
	}
	return s.all[i], true
}

// record makes what was put on record durable, tells those who follow the
// session, and forgets calls. Undos are forgotten when a person was notified of them.
func (f *Files) record(ctx context.Context, lease *session.Lease, s settledFiles) error {
	if len(s.all) == 0 {
		return nil
	}
	if err := lease.Commit(ctx); err != nil {
		return err
	}
	for _, e := range s.lines {
		if e.Kind != session.EntryUndo {
			continue
		}
		if err := emitUndone(lease, e); err != nil {
			return err
		}
	}
	calls := slices.DeleteFunc(slices.Clone(s.all), func(t journal.Settled) bool { return t.Owner.What == whatUndo })
	return f.Journal.Forget(lease.Record().ProjectRoot, calls...)
}

// Unreported are the undos of a session that were settled for a dead process, and
// of which no person was notified.
func (f *Files) Unreported(projectRoot, id string) (undos []journal.Settled, err error) {
	if projectRoot == "" || !f.Journal.Left(projectRoot, id) {
		return nil, nil
	}
	all, err := f.Journal.Settled(projectRoot, id)
	if err != nil {
		return nil, unknown(err)
	}
	return slices.DeleteFunc(all, func(t journal.Settled) bool { return t.Owner.What != whatUndo }), nil
}

// notesOn are the notices about the undo of a turn, as one paragraph.
func notesOn(undos []journal.Settled, turnID string) string {
	var notes []string
	for _, t := range undos {
		if t.Owner.Turn == turnID {
			notes = append(notes, Notice(t))
		}
	}
	return strings.Join(notes, " ")
}

func (f *Files) auditUndo(ctx context.Context, rec session.Record, r UndoRequest, done UndoResult) error {
	if f.Audit == nil {
		return nil
	}
	return f.Audit.Append(ctx, permit.Entry{
		Kind: "undo", SessionID: r.SessionID, TurnID: r.TurnID, Project: rec.ProjectRoot, By: r.By,
		Summary: "the changes of the turn were taken back: " + fault.List(done.Paths),
	})
}

func emitUndone(lease *session.Lease, e session.Entry) error {
	_, err := lease.Emit("", event.Draft{Type: event.ChangesUndone, Data: event.Undone{TurnID: e.Turn, Paths: e.Paths, By: e.By}})
	return err
}
