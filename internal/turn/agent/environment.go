package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/workspace"
)

// openEnvironment opens the project and the session's scratch folder for the turn's
// tools, at the first call: most turns make none. The turn closes the roots.
func (a *Run) openEnvironment() error {
	if a.environment != nil {
		return nil
	}
	if len(a.Tools.Names()) == 0 {
		a.environment = &tool.Environment{Ledger: &tool.Ledger{}, Seen: &tool.Seen{}} // every call will be refused
		return nil
	}
	projectRoot := a.Lease.Record().ProjectRoot
	scratch := filepath.Join(a.ScratchDir, a.SessionID)
	for _, dir := range []string{"home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(scratch, dir), 0o700); err != nil {
			return fault.New(fault.StorageFailure, "the session's scratch folder could not be made").Because(err)
		}
	}
	root, err := workspace.OpenProject(projectRoot)
	if err != nil {
		return err
	}
	own, err := os.OpenRoot(scratch)
	if err != nil {
		return errors.Join(fault.New(fault.StorageFailure, "the session's scratch folder could not be opened").Because(err), root.Close())
	}
	if err := a.FileRecovery.Finish(a.Context, projectRoot, root); err != nil {
		return errors.Join(err, root.Close(), own.Close())
	}
	a.environment = &tool.Environment{
		Agent: a.Settings.Persona.ID, Session: a.SessionID, Turn: a.ID,
		Project: projectRoot, Root: root, Scratch: scratch, ScratchRoot: own,
		Scope: a.Scope(projectRoot, a.Settings.Persona), Unreadable: a.policy.Unreadable,
		Blobs: a.Blobs, Files: admitter{a, projectRoot}, Received: a.received, Destination: a.Destination, Seen: a.seen(), Ledger: &tool.Ledger{Before: a.intend}, Gate: a.Gate,
		Journal: a.Journal, Network: &network{run: a}, Jobs: &tool.Jobs{}, Unread: a.Direct != nil, Limits: a.Settings.ToolLimits, Clock: a.Clock, Path: a.SearchPath, GitConfigs: a.GitConfigs, ReadPaths: a.ReadPaths, Nested: a.ProjectsIn(projectRoot),
		Live: a.showLive, Redact: a.WithoutKeys,
	}
	return nil
}

// CloseEnvironment closes what the agent's tools worked in.
func (a *Run) CloseEnvironment() {
	if a.environment == nil || a.environment.Root == nil {
		return
	}
	if err := errors.Join(a.environment.Root.Close(), a.environment.ScratchRoot.Close()); err != nil {
		a.Logger.Error("close the turn's tool environment", "error", err)
	}
}

// admitter lets tools show files of the project to the model, under the rules of
// attachments.
type admitter struct {
	run     *Run
	project string
}

// Admit implements [tool.Admitter].
func (a admitter) Admit(ctx context.Context, path string) (attachment.Item, error) {
	policy := a.run.Settings.Admission
	policy.Roots = []string{a.project, a.run.environment.Scratch}
	r, err := attachment.Resolve(ctx, []string{path}, policy, a.run.Blobs)
	if err != nil {
		return attachment.Item{}, err
	}
	if len(r.Refused) > 0 {
		return attachment.Item{}, tool.Refuse("%s cannot be shown: %s", filepath.Base(path), r.Refused[0].Reason)
	}
	return r.Items[0], nil
}

// seen is what the model was shown of the project's files in this session.
func (a *Run) seen() *tool.Seen {
	if a.Alone {
		return recalled(a.own(), "")
	}
	m, _ := a.Lease.Memo().(memo)
	if m.seen == nil {
		m.seen = recalled(a.Lease.Entries(), "")
		a.Lease.SetMemo(m)
	}
	return m.seen
}

// recalled is what the lines of one agent say that it was shown.
func recalled(entries []session.Entry, agent string) *tool.Seen {
	seen := &tool.Seen{}
	for _, e := range entries {
		if e.Agent == agent && e.Kind != session.EntryIntent && len(e.Seen)+len(e.Changes) > 0 {
			seen.Recall(e)
		}
	}
	return seen
}
