package changes

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/shell"
	"belay/internal/tool/shell/kept"
)

// ApplyKept makes a kept change in the project, after a review of its own: the change
// may have come with the project. Paths that something else changed, and contents that
// are damaged, are CONTENT_CHANGED; then the project is as it was, and the change stays
// kept. Where the session of the call is there and
// nobody works in it, the changes get on its record as those of their turn, so that
// they are shown with it and can be taken back.
func (c *Changes) ApplyKept(ctx context.Context, r KeptRequest) (result KeptResult, err error) {
	if !session.GoodName(r.By) {
		return KeptResult{}, fault.Invalid([]fault.Problem{{Field: "by", Message: session.NameRule}})
	}
	if err := c.engine.Enter(); err != nil {
		return KeptResult{}, err
	}
	defer c.engine.Leave()
	project, root, err := c.open(r.ProjectRoot)
	if err != nil {
		return KeptResult{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	switch k, err := kept.Look(root, r.ID); {
	case errors.Is(err, fs.ErrNotExist):
		return KeptResult{}, noKept(r.ID)
	case err == nil:
		if err := c.isAsked(ctx, k.Record); err != nil {
			return KeptResult{}, err
		}
	}
	k, err := kept.Open(root, r.ID)
	if err != nil {
		return KeptResult{}, notTaken(r.ID, err)
	}
	result, err = c.apply(ctx, project, root, k, r)
	if err != nil {
		err = errors.Join(keptError(r.ID, err), k.Close())
	}
	return result, err
}

func (c *Changes) apply(ctx context.Context, project string, root *os.Root, k *kept.Change, r KeptRequest) (result KeptResult, err error) {
	w, err := c.engine.Place(project, root)
	if err != nil {
		return result, err
	}
	lease, err := c.acquire(ctx, project, k.Origin)
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
	choice := shell.KeptChoice{Only: permit.CleanPaths(r.Only), RunsByItself: r.RunsByItself}
	done, err := shell.ApplyKept(ctx, w, k, choice, by, func(made []session.Change) error {
		return c.record(context.WithoutCancel(ctx), lease, project, k, r, made)
	})
	result.ID, result.Paths, result.Left = r.ID, orNone(done.Paths), done.Left
	return result, err
}

// acquire takes the lease of the session whose call it is, nil where the session is
// not there, is another project's, or somebody works in it.
func (c *Changes) acquire(ctx context.Context, project string, by tool.Origin) (*session.Lease, error) {
	rec, err := c.files.Store.Get(ctx, by.SessionID)
	if err != nil || rec.ProjectRoot != project {
		return nil, nil
	}
	lease, err := c.engine.Acquire(ctx, by.SessionID)
	switch {
	case fault.Is(err, fault.TurnInProgress), fault.Is(err, fault.SessionReadOnly), fault.Is(err, fault.SessionNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if _, known := session.FindTurn(lease.Entries(), by.TurnID); !known {
		return nil, lease.Release()
	}
	return lease, nil
}

// record puts on record what was applied. The files are done.
func (c *Changes) record(ctx context.Context, lease *session.Lease, project string, k *kept.Change, r KeptRequest, made []session.Change) error {
	var paths []string
	for i := range made {
		made[i].Call = k.Origin.CallID
		paths = append(paths, made[i].Path)
	}
	said := "the kept changes " + r.ID + " were applied"
	if len(paths) > 0 {
		said += ": " + fault.List(paths)
	}
	err := c.audit(ctx, permit.Entry{
		Kind: "changes", SessionID: k.Origin.SessionID, TurnID: k.Origin.TurnID, ToolCallID: k.Origin.CallID,
		Project: project, Tool: shell.Name, By: r.By, Summary: said,
	})
	if err != nil || lease == nil || len(made) == 0 {
		return err
	}
	err = lease.Append(session.Entry{
		Kind: session.EntryChanges, Turn: k.Origin.TurnID, Agent: k.Origin.Agent, Time: session.Time{Time: c.files.Clock()}, Changes: made,
	})
	if err != nil {
		return err
	}
	return lease.Commit(ctx)
}
