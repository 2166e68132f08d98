package turn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// finding is what a call did to the project whose process died before it could tell: it
// was found out afterwards.
type finding struct {
	origin  tool.Origin
	changes []session.Change
	// notes are sentences about it.
	notes []string
}

// intend puts on record what a call is about to change, durably, with the contents
// that this replaces. Should the process die before the call has its result, the
// next lease knows where to look ([Local.aftermath]).
func (t *running) intend(ctx context.Context, changes ...session.Change) error {
	changes = slices.Clone(changes)
	for i := range changes {
		changes[i].Call = tool.OriginOf(ctx).CallID
	}
	err := t.append(session.Entry{Kind: session.EntryIntent, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()}, Changes: changes})
	if err != nil {
		return err
	}
	return t.lease.Commit(ctx)
}

// aftermath is what turns changed in calls that have no result, because their
// process died in the middle of them: lines for the transcript, and what is to be
// called when they are on record. Open is the turn that has not ended, "" for
// none. A project that is gone has no aftermath.
func (l *Local) aftermath(ctx context.Context, lease *session.Lease, open string) (late []session.Entry, recorded func(), err error) {
	recorded = func() {}
	rec := lease.Record()
	journaled := rec.ProjectRoot != "" && l.o.Journal.Left(rec.ProjectRoot, rec.SessionID)
	intents := openIntents(lease.Entries(), open)
	if !journaled && len(intents) == 0 {
		return nil, recorded, nil
	}
	root, err := os.OpenRoot(rec.ProjectRoot)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, recorded, nil
	}
	if err != nil {
		return nil, recorded, unknown(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	var settled settledFiles
	if journaled {
		if settled, err = l.settledFiles(ctx, lease, root, intents); err != nil {
			return nil, recorded, err
		}
	}
	late = settled.lines
	for _, e := range intents {
		f, err := l.intended(root, e, settled)
		if err != nil {
			return nil, recorded, unknown(err)
		}
		if len(f.changes)+len(f.notes) > 0 {
			late = append(late, l.late(lease, f, true))
		}
	}
	done := context.WithoutCancel(ctx)
	told := func() {
		if err := l.recordFiles(done, lease, settled); err != nil { // it is told, or recorded, again the next time
			l.o.Logger.Error("record what was settled of a project's files", "session", rec.SessionID, "error", err)
		}
	}
	return late, told, nil
}

// intended is what became of a change that a call was about to make. The journal
// knows it of a transaction that it has settled; where it had nothing to do, the
// files tell.
func (l *Local) intended(root *os.Root, e session.Entry, settled settledFiles) (f finding, err error) {
	f.origin = tool.Origin{TurnID: e.Turn, Agent: e.Agent, CallID: e.Changes[0].Call}
	t, known := settled.of(e)
	if known && t.Result == journal.RolledBack {
		f.notes = []string{tidings(t)}
		return f, nil
	}
	f.changes, err = files.Recover(root, e.Changes)
	if known && len(f.changes) == 0 { // somebody has put the old content back since
		f.changes = slices.Clone(e.Changes)
	}
	return f, err
}

func unknown(err error) *fault.Error {
	return fault.New(fault.StorageFailure, "what the session's last turn changed before its process died could not be found out").Because(err).
		WithHint("check the project folder and the state folder, and try again")
}

// openIntents are a turn's intents whose calls have no result; "" is no turn.
func openIntents(entries []session.Entry, turnID string) (intents []session.Entry) {
	if turnID == "" {
		return nil
	}
	for _, e := range entries {
		switch {
		case e.Turn != turnID:
		case e.Kind == session.EntryIntent && len(e.Changes) > 0:
			intents = append(intents, e)
		case e.Kind == session.EntryTools:
			intents = slices.DeleteFunc(intents, func(i session.Entry) bool {
				return i.Agent == e.Agent && slices.ContainsFunc(e.Blocks, func(b session.Block) bool { return b.ID == i.Changes[0].Call })
			})
		}
	}
	return intents
}

// late is the line about a call whose process died: its result, as far as there is
// one, or, behind a turn that has ended, what it changed.
func (l *Local) late(lease *session.Lease, f finding, open bool) session.Entry {
	e := session.Entry{
		Kind: session.EntryChanges, Turn: f.origin.TurnID, Agent: f.origin.Agent, Time: session.Time{Time: l.o.Clock()},
		Changes: f.changes,
	}
	said := append([]string{resultUnknown}, f.notes...)
	for i := range e.Changes {
		c := &e.Changes[i]
		if c.Call = f.origin.CallID; len(said) < maxLate {
			verb := "changed: "
			if c.Removes() {
				verb = "removed: "
			}
			said = append(said, verb+c.Path)
		}
	}
	if open {
		e.Kind = session.EntryTools
		e.Blocks = []session.Block{{
			Type: session.BlockToolResult, ID: f.origin.CallID, Name: callName(lease.Entries(), f.origin),
			Text: strings.Join(said, "\n"), Failed: true,
		}}
	}
	return e
}

// callName is the name by which the model made a call.
func callName(entries []session.Entry, by tool.Origin) string {
	for _, e := range slices.Backward(entries) {
		if e.Turn != by.TurnID || e.Agent != by.Agent || e.Kind != session.EntryAssistant {
			continue
		}
		for _, b := range e.Blocks {
			if b.Type == session.BlockToolCall && b.ID == by.CallID {
				return b.Name
			}
		}
	}
	return ""
}

// maxLate bounds the lines of a result that was found out late.
const maxLate = 200
