package proposal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
)

// Request is what somebody proposes.
type Request struct {
	By, SessionID, TurnID, Note string
	// Complete is [Proposal.Complete].
	Complete bool
	// Content is a register of the v3.1 schema.
	Content []byte
}

// Add checks a proposal against the deliverable's register as it is now, keeps it,
// and returns what it would change. One that could not be applied is refused with
// every problem. A complete proposal supersedes the older complete ones of the
// deliverable that still wait.
func (s *Store) Add(ctx context.Context, d workspace.Deliverable, n Request) (Shown, error) {
	content := register.Parse(n.Content)
	diff, tag, err := s.o.Files.Preview(ctx, d, content, register.ProposalOptions{Complete: n.Complete})
	if err != nil {
		return Shown{}, err
	}
	if !diff.Changes() {
		return Shown{}, fault.New(fault.InvalidRequest, "the proposal changes nothing: the register has all of it").With("field", "rows")
	}
	p := Proposal{
		ID: s.o.NewID(), Deliverable: layout.ParseName(path.Base(d.Rel)).ID, Path: d.Rel, CreatedAt: s.now(), By: n.By, SessionID: n.SessionID, TurnID: n.TurnID,
		Note: n.Note, Complete: n.Complete, Rows: content.Len(), MadeFor: tag, State: Open,
	}
	if n.Complete {
		for _, row := range diff.Retired {
			p.Missing = append(p.Missing, row.ID)
		}
	}
	if p.Deliverable == "" {
		return Shown{}, fault.New(fault.DeliverableNotFound, "the folder %s is not named as a deliverable's", d.Rel)
	}
	unlock, err := s.lock(ctx, d.Project)
	if err != nil {
		return Shown{}, err
	}
	defer unlock()
	project, err := workspace.OpenProject(d.Project)
	if err != nil {
		return Shown{}, err
	}
	defer project.Close()
	if err := sweep(project); err != nil {
		return Shown{}, err
	}
	older, err := s.makeRoom(ctx, project, p)
	if err != nil {
		return Shown{}, err
	}
	if err := keep(project, p, n.Content); err != nil {
		err = errors.Join(err, forget(project, p.ID+".json"), forget(project, p.ID+".csv")) // nobody has its id
		return Shown{}, fault.New(fault.StorageFailure, "the proposal could not be kept").Because(err)
	}
	for _, old := range older {
		old.State, old.SettledAt, old.SettledBy = Superseded, p.CreatedAt, p.By
		if err := save(project, old); err != nil {
			return Shown{}, fault.New(fault.StorageFailure, "the proposal %s is kept, but an older one could not be closed", p.ID).Because(err)
		}
	}
	return Shown{Proposal: p, Tag: tag, Diff: diff}, nil
}

// keep writes a new proposal: its record comes last, and makes it one.
func keep(project *os.Root, p Proposal, content []byte) error {
	if err := workspace.MakeBelay(project); err != nil {
		return err
	}
	if err := durable.MkdirAll(project, Folder, 0o700); err != nil {
		return err
	}
	for dir := Folder; dir != "."; {
		dir = path.Dir(dir)
		if err := durable.FlushDir(project, dir, durable.Proposal); err != nil {
			return err
		}
	}
	if err := durable.WriteFile(project, Folder+"/"+p.ID+".csv", content, 0o600, durable.Proposal); err != nil {
		return err
	}
	return save(project, p)
}

// makeRoom returns what a new proposal supersedes, drops the oldest of those that are
// settled, and refuses when too many wait.
func (s *Store) makeRoom(ctx context.Context, project *os.Root, p Proposal) (superseded []Proposal, err error) {
	list, _, err := all(ctx, project)
	if err != nil {
		return nil, err
	}
	waiting, settled := 0, 0
	for _, old := range list {
		switch {
		case old.State != Open:
			settled++
		case p.Complete && old.Complete && old.Path == p.Path:
			superseded = append(superseded, old)
			settled++
		default:
			waiting++
		}
	}
	if waiting >= s.o.MaxOpen {
		return nil, fault.New(fault.InvalidRequest, "%d proposals wait in this project already", waiting).
			WithHint("let a person apply or dismiss some of them")
	}
	excess := settled - s.o.MaxSettled
	for _, old := range list {
		if excess > 0 && old.State != Open {
			excess--
			if err := errors.Join(forget(project, old.ID+".json"), forget(project, old.ID+".csv")); err != nil {
				return nil, fault.New(fault.StorageFailure, "an old proposal could not be removed").Because(err)
			}
		}
	}
	return superseded, nil
}

func forget(project *os.Root, name string) error {
	if err := durable.Remove(project, Folder+"/"+name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Has returns nil when a proposal has, or would retire, all of the rows with these
// ids.
func Has(diff *register.Diff, ids []string) error {
	has := make(map[string]bool, len(diff.New)+len(diff.Confirmed)+len(diff.Retired))
	for _, rows := range [][]register.DiffRow{diff.New, diff.Confirmed, diff.Retired} {
		for i := range rows {
			has[rows[i].ID] = true
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return has[id] })
	if len(unknown) == 0 {
		return nil
	}
	return fault.New(fault.InvalidRequest, "the proposal has no row %s", finding.Shown(unknown[0])).With("field", "only").With("unknown", unknown)
}
