package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/tool"
)

// openEnvironment opens the project and the session's scratch folder for the turn's
// tools, at the first call: most turns make none. The turn closes the roots.
func (t *agentRun) openEnvironment() error {
	if t.environment != nil {
		return nil
	}
	if len(t.tools.Names()) == 0 {
		t.environment = &tool.Environment{Ledger: &tool.Ledger{}, Seen: &tool.Seen{}} // every call will be refused
		return nil
	}
	projectRoot := t.lease.Record().ProjectRoot
	scratch := filepath.Join(t.scratchDir, t.session)
	for _, dir := range []string{"home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(scratch, dir), 0o700); err != nil {
			return fault.New(fault.StorageFailure, "the session's scratch folder could not be made").Because(err)
		}
	}
	root, err := os.OpenRoot(projectRoot)
	if err != nil {
		return fault.New(fault.StorageFailure, "the project folder could not be opened").Because(err)
	}
	own, err := os.OpenRoot(scratch)
	if err != nil {
		return errors.Join(fault.New(fault.StorageFailure, "the session's scratch folder could not be opened").Because(err), root.Close())
	}
	if err := t.fileRecovery.Finish(t.ctx, projectRoot, root); err != nil {
		return errors.Join(err, root.Close(), own.Close())
	}
	t.environment = &tool.Environment{
		Agent: t.settings.persona.ID, Session: t.session, Turn: t.id,
		Project: projectRoot, Root: root, Scratch: scratch, ScratchRoot: own,
		Scope: t.scope(projectRoot, t.settings.persona),
		Blobs: t.blobs, Files: admitter{t, projectRoot}, Received: t.received, Destination: t.destination, Seen: t.seen(), Ledger: &tool.Ledger{Before: t.intend}, Gate: t.gate,
		Journal: t.journal, Network: &network{run: t}, Jobs: &tool.Jobs{}, Unread: t.direct != nil, Limits: t.settings.toolLimits, Clock: t.clock, Path: t.searchPath, ReadPaths: t.readPaths, Nested: t.projectsIn(projectRoot),
	}
	return nil
}

func (t *agentRun) closeEnvironment() {
	if t.environment == nil || t.environment.Root == nil {
		return
	}
	if err := errors.Join(t.environment.Root.Close(), t.environment.ScratchRoot.Close()); err != nil {
		t.logger.Error("close the turn's tool environment", "session", t.session, "error", err)
	}
}

// admitter lets tools show files of the project to the model, under the rules of
// attachments.
type admitter struct {
	run     *agentRun
	project string
}

// Admit implements [tool.Admitter].
func (a admitter) Admit(ctx context.Context, path string) (attachment.Item, error) {
	policy := a.run.settings.admission
	policy.Roots = []string{a.project, a.run.environment.Scratch}
	r, err := attachment.Resolve(ctx, []string{path}, policy, a.run.blobs)
	if err != nil {
		return attachment.Item{}, err
	}
	if len(r.Refused) > 0 {
		return attachment.Item{}, tool.Refuse("%s cannot be shown: %s", filepath.Base(path), r.Refused[0].Reason)
	}
	return r.Items[0], nil
}

// seen is what the model was shown of the project's files in this session.
func (t *agentRun) seen() *tool.Seen {
	if t.alone {
		return recalled(t.own(), "")
	}
	m, _ := t.lease.Memo().(memo)
	if m.seen == nil {
		m.seen = recalled(t.lease.Entries(), "")
		t.lease.SetMemo(m)
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
