package changes

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
	"belay/internal/turn/conversation"
)

// finding is what a call did to the project whose process died before it could tell: it
// was found out afterwards.
type finding struct {
	origin  tool.Origin
	changes []session.Change
	// notes are sentences about it.
	notes []string
}

// Recover finds what turns changed in calls that have no result, because their
// process died in the middle of them: lines for the transcript, and what is to be
// called when they are on record. Open is the turn that has not ended, "" for
// none. Of a project that is gone there is nothing to find.
func (f *Files) Recover(ctx context.Context, lease *session.Lease, open string) (late []session.Entry, recorded func(), err error) {
	recorded = func() {}
	rec := lease.Record()
	journaled := rec.ProjectRoot != "" && f.Journal.Left(rec.ProjectRoot, rec.SessionID)
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
		if settled, err = f.settle(ctx, lease, root, intents); err != nil {
			return nil, recorded, err
		}
	}
	late = settled.lines
	for _, e := range intents {
		found, err := intended(root, e, settled)
		if err != nil {
			return nil, recorded, unknown(err)
		}
		if len(found.changes)+len(found.notes) > 0 {
			late = append(late, f.late(lease, found, true))
		}
	}
	done := context.WithoutCancel(ctx)
	record := func() {
		if err := f.record(done, lease, settled); err != nil { // it is tried again the next time
			f.Logger.Error("record what was settled of a project's files", "session", rec.SessionID, "error", err)
		}
	}
	return late, record, nil
}

// intended is the outcome of a change that a call was about to make. The journal
// knows it of a transaction that it has settled; where it had nothing to do, the
// files tell.
func intended(root *os.Root, e session.Entry, settled settledFiles) (f finding, err error) {
	f.origin = tool.Origin{TurnID: e.Turn, Agent: e.Agent, CallID: e.Changes[0].Call}
	t, known := settled.of(e)
	if known && t.Result == journal.RolledBack {
		f.notes = []string{Notice(t)}
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
// one, or, after a turn that has ended, what it changed.
func (f *Files) late(lease *session.Lease, found finding, open bool) session.Entry {
	e := session.Entry{
		Kind: session.EntryChanges, Turn: found.origin.TurnID, Agent: found.origin.Agent, Time: session.Time{Time: f.Clock()},
		Changes: found.changes,
	}
	said := append([]string{conversation.ResultUnknown}, found.notes...)
	for i := range e.Changes {
		c := &e.Changes[i]
		if c.Call = found.origin.CallID; len(said) < maxLate {
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
			Type: session.BlockToolResult, ID: found.origin.CallID, Name: callName(lease.Entries(), found.origin),
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
