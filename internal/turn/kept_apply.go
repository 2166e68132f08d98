package turn

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/shell"
	"belay/internal/tool/shell/kept"
)

// ApplyKept implements [KeptChanges]. Where the session of the call is there and
// nobody works in it, the changes get on its record as those of their turn, so that
// they are shown with it and can be taken back.
func (l *Local) ApplyKept(ctx context.Context, r KeptRequest) (result KeptResult, err error) {
	if !goodName(r.By) {
		return KeptResult{}, fault.Invalid([]fault.Problem{{Field: "by", Message: nameRule}})
	}
	if err := l.enter(); err != nil {
		return KeptResult{}, err
	}
	defer l.leave()
	project, root, err := l.keptIn(r.ProjectRoot)
	if err != nil {
		return KeptResult{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	switch k, err := kept.Look(root, r.ID); {
	case errors.Is(err, fs.ErrNotExist):
		return KeptResult{}, noKept(r.ID)
	case err == nil:
		if err := l.isAsked(ctx, k.Record); err != nil {
			return KeptResult{}, err
		}
	}
	k, err := kept.Open(root, r.ID)
	if err != nil {
		return KeptResult{}, notTaken(r.ID, err)
	}
	result, err = l.applyKept(ctx, project, root, k, r)
	if err != nil {
		err = errors.Join(keptError(r.ID, err), k.Close())
	}
	return result, err
}

func (l *Local) applyKept(ctx context.Context, project string, root *os.Root, k *kept.Change, r KeptRequest) (result KeptResult, err error) {
	w, err := l.keptPlace(project, root)
	if err != nil {
		return result, err
	}
	lease, err := l.originOf(ctx, project, k.Origin)
	if err != nil {
		return result, err
	}
	by := journal.Owner{What: shell.Name, By: r.By}
	if lease != nil {
		defer func() { err = errors.Join(err, lease.Release()) }()
		by.Session, by.Turn, by.Agent, by.Call = k.Origin.SessionID, k.Origin.TurnID, k.Origin.Agent, k.Origin.CallID
		result.SessionID, result.TurnID = by.Session, by.Turn
		if err := lease.Boot(); err != nil {
			return result, err
		}
	}
	choice := shell.KeptChoice{Only: r.Only, RunsByItself: r.RunsByItself}
	done, err := shell.ApplyKept(ctx, w, k, choice, by, func(made []session.Change) error {
		return l.recordKept(context.WithoutCancel(ctx), lease, project, k, r, made)
	})
	result.ID, result.Paths, result.Left = r.ID, orNone(done.Paths), done.Left
	return result, err
}

// aPerson has the write scope of people: everything but what only its own tool may
// write.
var aPerson = persona.Persona{Summary: persona.Summary{ID: "ORCHESTRATOR", WriteScope: "project-level"}}

// keptPlace is where a person applies kept changes of a project.
func (l *Local) keptPlace(project string, root *os.Root) (*tool.Workplace, error) {
	rules, err := l.rules(project)
	if err != nil {
		return nil, err
	}
	blobs, err := l.o.Store.Blobs(project)
	if err != nil {
		return nil, err
	}
	return &tool.Workplace{
		Project: project, Root: root, Scope: l.o.Scope(project, aPerson), Blobs: blobs, Gate: l.o.Gate, Journal: l.o.Journal,
		Limits: rules.Tools, Seen: &tool.Seen{}, Ledger: &tool.Ledger{}, Clock: l.o.Clock, Path: l.o.SearchPath, ReadPaths: l.o.ReadPaths,
	}, nil
}

// originOf takes the lease of the session whose call it is, nil where the session is
// not there, is another project's, or somebody works in it.
func (l *Local) originOf(ctx context.Context, project string, by tool.Origin) (*session.Lease, error) {
	rec, err := l.o.Store.Get(ctx, by.SessionID)
	if err != nil || rec.ProjectRoot != project {
		return nil, nil
	}
	var lease *session.Lease
	err = l.whenFree(ctx, by.SessionID, func() (err error) {
		lease, err = l.o.Store.Acquire(ctx, by.SessionID)
		return err
	})
	switch {
	case errors.Is(err, session.ErrBusy), fault.Is(err, fault.SessionReadOnly), fault.Is(err, fault.SessionNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	waits, err := l.paused(ctx, lease)
	if err == nil && waits == nil {
		err = l.settleRecord(ctx, lease)
	}
	if _, known := findTurn(lease.Entries(), by.TurnID); err != nil || waits != nil || !known {
		return nil, errors.Join(err, lease.Release())
	}
	return lease, nil
}

// recordKept puts on record what was applied. The files are done.
func (l *Local) recordKept(ctx context.Context, lease *session.Lease, project string, k *kept.Change, r KeptRequest, made []session.Change) error {
	var paths []string
	for i := range made {
		made[i].Call = k.Origin.CallID
		paths = append(paths, made[i].Path)
	}
	said := "the kept changes " + r.ID + " were applied"
	if len(paths) > 0 {
		said += ": " + listed(paths)
	}
	err := l.auditKept(ctx, permit.Entry{
		Kind: "changes", SessionID: k.Origin.SessionID, TurnID: k.Origin.TurnID, ToolCallID: k.Origin.CallID,
		Project: project, Tool: shell.Name, By: r.By, Summary: said,
	})
	if err != nil || lease == nil || len(made) == 0 {
		return err
	}
	err = lease.Append(session.Entry{
		Kind: session.EntryChanges, Turn: k.Origin.TurnID, Agent: k.Origin.Agent, Time: session.Time{Time: l.o.Clock()}, Changes: made,
	})
	if err != nil {
		return err
	}
	return lease.Commit(ctx)
}
