package turn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// whatUndo names transactions of the journal that undo a turn.
const whatUndo = "undo"

// finishFiles completes or takes back the changes of a project's files that dead
// processes left half done, of whichever session they are. It is cheap where there
// are none.
func (l *Local) finishFiles(ctx context.Context, projectRoot string, root *os.Root) error {
	if !l.o.Journal.Left(projectRoot, "") && !l.o.Journal.Stray(projectRoot) {
		return nil
	}
	pass, err := l.pass(ctx, projectRoot)
	if err != nil {
		return err
	}
	j, err := l.openJournal(ctx, projectRoot, root)
	if err == nil {
		err = j.Close()
	}
	return errors.Join(err, pass.Leave())
}

// openJournal opens a project's journal. What that settles goes to the log.
func (l *Local) openJournal(ctx context.Context, projectRoot string, root *os.Root) (*journal.Project, error) {
	j, err := files.OpenJournal(ctx, l.o.Journal, projectRoot, root)
	if refusal, ok := tool.AsRefusal(err); ok {
		return nil, fault.New(fault.Overloaded, "%s", refusal.Reason).WithHint("try it again").Because(err)
	}
	if err != nil {
		return nil, err
	}
	for _, s := range j.Settled {
		l.o.Logger.Warn("files of a project were left half changed", "project", projectRoot, "session", s.Owner.Session, "turn", s.Owner.Turn, "now", tidings(s))
	}
	return j, nil
}

// tidings is what a person is told of a change that was settled for a dead process.
func tidings(s journal.Settled) string {
	what := "a change"
	switch {
	case s.Owner.What == whatUndo:
		what = "the undo of turn " + s.Owner.Turn
	case s.Owner.What != "":
		what = "a call of " + s.Owner.What
	}
	text := what + " was cut off by a crash. "
	if s.Result == journal.Completed {
		return text + "It is complete now."
	}
	text += "It was taken back, so that no file is changed by it"
	var why []string
	for _, c := range s.Conflicts {
		reason := fmt.Sprintf("%s %s", c.Path, c.Reason)
		if c.Kept != "" {
			reason += fmt.Sprintf(" (the other content is in %s)", c.Kept)
		}
		why = append(why, reason)
	}
	if len(why) > 0 {
		text += ": " + listed(why)
	}
	return text + "."
}

// RecoverFiles settles the changes of files that dead processes left half done, in
// all projects, and puts them on the record of their sessions. A project that is
// gone is left out, and a session that somebody works in does it by itself.
func (l *Local) RecoverFiles(ctx context.Context) error {
	pending, err := l.o.Journal.Pending(ctx)
	if err != nil || len(pending) == 0 {
		return err
	}
	var errs []error
	done := map[string]bool{}
	for _, p := range pending {
		if !done[p.Project] {
			done[p.Project] = true
			errs = append(errs, l.finishProject(ctx, p.Project))
		}
	}
	for _, p := range pending {
		if id := p.Owner.Session; id != "" && !done[id] {
			done[id] = true
			if err := l.settleDead(ctx, id); !fault.Is(err, fault.SessionNotFound) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// finishProject is finishFiles of a project that may be gone.
func (l *Local) finishProject(ctx context.Context, projectRoot string) error {
	root, err := os.OpenRoot(projectRoot)
	if errors.Is(err, fs.ErrNotExist) || projectRoot == "" {
		return nil
	} else if err != nil {
		return err
	}
	return errors.Join(l.finishFiles(ctx, projectRoot, root), root.Close())
}

// SweepFiles settles what is half done in a project, and removes what the journal
// kept there because of conflicts longer ago than age; 0 keeps it.
func (l *Local) SweepFiles(ctx context.Context, projectRoot string, age time.Duration) error {
	root, err := os.OpenRoot(projectRoot)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it holds nothing but a place
	if _, err := root.Lstat(".belay/journal"); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	pass, err := l.pass(ctx, projectRoot)
	if err != nil {
		return err
	}
	j, err := l.openJournal(ctx, projectRoot, root)
	if err == nil {
		err = errors.Join(j.Sweep(age), j.Close())
	}
	return errors.Join(err, pass.Leave())
}

// left reports whether something of a session's project is half done, or was
// settled for the session and is not on its record, or whether a call was about to
// change a file and has no result. A power cut may have taken the note by which
// [session.Store.Died] knows a dead process.
func (l *Local) left(ctx context.Context, id string) bool {
	rec, err := l.o.Store.Get(ctx, id)
	if err != nil {
		return false
	}
	if rec.ProjectRoot != "" && l.o.Journal.Left(rec.ProjectRoot, id) {
		return true
	}
	entries, err := l.o.Store.Entries(ctx, id)
	return err == nil && len(openIntents(entries, lastEntry(entries).Turn)) > 0
}

// settledFiles are the changes of files that were settled for a session, and the
// lines about them that its transcript lacks. Of calls that have no result the
// lines are made from their intents.
type settledFiles struct {
	all   []journal.Settled
	lines []session.Entry
}

// settledFiles settles the project of a session. The caller holds the lease.
func (l *Local) settledFiles(ctx context.Context, lease *session.Lease, root *os.Root, intents []session.Entry) (s settledFiles, err error) {
	rec := lease.Record()
	if err := l.finishFiles(ctx, rec.ProjectRoot, root); err != nil {
		return s, err
	}
	if s.all, err = l.o.Journal.Settled(rec.ProjectRoot, rec.SessionID); err != nil {
		return s, unknown(err)
	}
	for _, t := range s.all {
		if _, known := findTurn(lease.Entries(), t.Owner.Turn); !known || t.Result != journal.Completed {
			continue
		}
		line, err := l.lineOn(ctx, lease, t, intents)
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
func (l *Local) lineOn(ctx context.Context, lease *session.Lease, t journal.Settled, intents []session.Entry) ([]session.Entry, error) {
	rec, entries := lease.Record(), lease.Entries()
	if t.Owner.What != whatUndo {
		f := finding{origin: tool.Origin{TurnID: t.Owner.Turn, Agent: t.Owner.Agent, CallID: t.Owner.Call}, changes: files.Recorded(t.Changes)}
		if len(f.changes) == 0 || slices.ContainsFunc(intents, func(e session.Entry) bool { return tells(e, t) }) || onRecord(entries, f) {
			return nil, nil
		}
		return []session.Entry{l.late(lease, f, false)}, nil
	}
	r := UndoRequest{SessionID: rec.SessionID, TurnID: t.Owner.Turn, By: t.Owner.By}
	_, done, err := undoable(entries, r)
	if err != nil || done.Already {
		return nil, nil // it is on record, or the record was changed from outside
	}
	done.Time = session.Time{Time: t.Time}
	if err := l.auditUndo(ctx, rec, r, done); err != nil {
		return nil, err
	}
	return []session.Entry{undoEntry(r, done)}, nil
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

// of returns what became of the change that an intent tells of.
func (s settledFiles) of(intent session.Entry) (journal.Settled, bool) {
	i := slices.IndexFunc(s.all, func(t journal.Settled) bool { return tells(intent, t) })
	if i < 0 {
		return journal.Settled{}, false
	}
	return s.all[i], true
}

// recordFiles makes what was put on record durable, tells those who follow the
// session, and forgets calls. Undos are forgotten when a person was told of them.
func (l *Local) recordFiles(ctx context.Context, lease *session.Lease, s settledFiles) error {
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
		if err := l.emitUndone(lease, e); err != nil {
			return err
		}
	}
	calls := slices.DeleteFunc(slices.Clone(s.all), func(t journal.Settled) bool { return t.Owner.What == whatUndo })
	return l.o.Journal.Forget(lease.Record().ProjectRoot, calls...)
}

// untold are the undos of a session that were settled for a dead process, and of
// which no person was told.
func (l *Local) untold(projectRoot, id string) (undos []journal.Settled, err error) {
	if projectRoot == "" || !l.o.Journal.Left(projectRoot, id) {
		return nil, nil
	}
	all, err := l.o.Journal.Settled(projectRoot, id)
	if err != nil {
		return nil, unknown(err)
	}
	return slices.DeleteFunc(all, func(t journal.Settled) bool { return t.Owner.What != whatUndo }), nil
}

// notesOn are the tidings about the undo of a turn, as one paragraph.
func notesOn(undos []journal.Settled, turnID string) string {
	var notes []string
	for _, t := range undos {
		if t.Owner.Turn == turnID {
			notes = append(notes, tidings(t))
		}
	}
	return strings.Join(notes, " ")
}
