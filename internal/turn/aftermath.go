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
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// Remains knows what commands did whose process died in the middle of them;
// [belay/internal/tool/shell.Shell] does.
type Remains interface {
	// Left reports, cheaply, whether there is anything of a session's.
	Left(project, sessionID string) bool
	// Recover finds it out and returns it, until it is dropped. The caller has the
	// session's lease. Root is the project.
	Recover(ctx context.Context, project, sessionID string, root *os.Root, blobs tool.Blobs) ([]tool.Finding, error)
	Drop(sessionID, id string) error
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
	left := l.o.Remains != nil && l.o.Remains.Left(rec.ProjectRoot, rec.SessionID)
	journaled := rec.ProjectRoot != "" && l.o.Journal.Left(rec.ProjectRoot, rec.SessionID)
	intents := openIntents(lease.Entries(), open)
	if !left && !journaled && len(intents) == 0 {
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
		if len(f.Changes)+len(f.Notes) > 0 {
			late = append(late, l.late(lease, f, true))
		}
	}
	done := context.WithoutCancel(ctx)
	told := func() {
		if err := l.recordFiles(done, lease, settled); err != nil { // it is told, or recorded, again the next time
			l.o.Logger.Error("record what was settled of a project's files", "session", rec.SessionID, "error", err)
		}
	}
	if !left {
		return late, told, nil
	}
	blobs, err := lease.Blobs()
	if err != nil {
		return nil, recorded, err
	}
	found, err := l.o.Remains.Recover(ctx, rec.ProjectRoot, rec.SessionID, root, blobs)
	if err != nil {
		return nil, recorded, unknown(err)
	}
	for _, f := range found {
		if _, known := findTurn(lease.Entries(), f.Origin.TurnID); !known || hasFinding(lease.Entries(), f) {
			continue
		}
		if err := l.auditFinding(ctx, rec, f); err != nil {
			return nil, recorded, err
		}
		late = append(late, l.late(lease, f, f.Origin.TurnID == open))
	}
	return late, func() { told(); l.drop(rec.SessionID, found) }, nil
}

// intended is what became of a change that a call was about to make. The journal
// knows it of a transaction that it has settled; where it had nothing to do, the
// files tell.
func (l *Local) intended(root *os.Root, e session.Entry, settled settledFiles) (f tool.Finding, err error) {
	f.Origin = tool.Origin{TurnID: e.Turn, Agent: e.Agent, CallID: e.Changes[0].Call}
	t, known := settled.of(e)
	if known && t.Result == journal.RolledBack {
		f.Notes = []string{tidings(t)}
		return f, nil
	}
	f.Changes, err = files.Recover(root, e.Changes)
	if known && len(f.Changes) == 0 { // somebody has put the old content back since
		f.Changes = slices.Clone(e.Changes)
	}
	return f, err
}

// drop forgets findings that are on record. One that stays is seen to be.
func (l *Local) drop(sessionID string, found []tool.Finding) {
	for _, f := range found {
		if err := l.o.Remains.Drop(sessionID, f.ID); err != nil {
			l.o.Logger.Error("drop a finding", "session", sessionID, "error", err)
		}
	}
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

// hasFinding reports whether a finding is on record: its process died when it had
// just put it there.
func hasFinding(entries []session.Entry, f tool.Finding) bool {
	return slices.ContainsFunc(entries, func(e session.Entry) bool {
		return e.Turn == f.Origin.TurnID && e.Agent == f.Origin.Agent && len(e.Changes) == len(f.Changes) &&
			len(e.Changes) > 0 && e.Changes[0].Call == f.Origin.CallID && e.Changes[0].Path == f.Changes[0].Path
	})
}

// late is the line about a call whose process died: its result, as far as there is
// one, or, behind a turn that has ended, what it changed.
func (l *Local) late(lease *session.Lease, f tool.Finding, open bool) session.Entry {
	e := session.Entry{
		Kind: session.EntryChanges, Turn: f.Origin.TurnID, Agent: f.Origin.Agent, Time: session.Time{Time: l.o.Clock()},
		Changes: f.Changes,
	}
	said := append([]string{resultUnknown}, f.Notes...)
	for i := range e.Changes {
		c := &e.Changes[i]
		if c.Call = f.Origin.CallID; !c.Restored && len(said) < maxLate {
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
			Type: session.BlockToolResult, ID: f.Origin.CallID, Name: callName(lease.Entries(), f.Origin),
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

// auditFinding puts on the audit log what of a finding the agent had no right to.
func (l *Local) auditFinding(ctx context.Context, rec session.Record, f tool.Finding) error {
	why := restored(f.Changes)
	if l.o.Audit == nil || why == "" {
		return nil
	}
	return l.o.Audit.Append(ctx, permit.Entry{
		Kind: "refusal", SessionID: f.Origin.SessionID, TurnID: f.Origin.TurnID, ToolCallID: f.Origin.CallID,
		Project: rec.ProjectRoot, Agent: f.Origin.Agent, Summary: "a command whose process died", Reason: why,
	})
}

// maxLate bounds the lines of a result that was found out late.
const maxLate = 200
