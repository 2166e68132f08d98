package proposal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/register"
	"belay/internal/workspace/registerfile"
)

// Shown is a proposal as a person looks at it.
type Shown struct {
	Proposal
	// Tag is that of the register that Diff was made with, "" where there is none.
	// Stale is set where that is not the one that the proposal was made for: what
	// changed since is in the diff.
	Tag   string         `json:"registerTag,omitempty"`
	Stale bool           `json:"stale,omitempty"`
	Diff  *register.Diff `json:"diff,omitempty"`
	// Problem is why it cannot be applied as things are.
	Problem string `json:"problem,omitempty"`
}

// List returns a project's proposals, the oldest first: those that wait, each with
// what it would change, or with settled all of them. One whose record is damaged comes last,
// with its id and its problem.
func (s *Store) List(ctx context.Context, projectRoot string, settled bool) ([]Shown, error) {
	project, err := workspace.OpenProject(projectRoot)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	list, malformed, err := all(ctx, project)
	if err != nil {
		return nil, err
	}
	shown := []Shown{}
	waiting := 0
	for _, p := range list {
		if p.State == Open {
			waiting++
		}
		switch {
		case p.State == Open && waiting > s.o.MaxOpen: // they came with the project
			shown = append(shown, Shown{Proposal: p, Problem: fmt.Sprintf("what it changes is not shown: more than %d proposals wait; decide about the older ones first", s.o.MaxOpen)})
		case p.State == Open || settled:
			one, err := s.show(ctx, project, projectRoot, p, Settle{Retire: true})
			if err != nil {
				one.Problem = fault.From(err).Message
			}
			shown = append(shown, one)
		}
	}
	for _, name := range malformed {
		shown = append(shown, Shown{
			Proposal: Proposal{ID: strings.TrimSuffix(name, ".json"), State: Open},
			Problem:  "its record is damaged; put " + Folder + "/" + name + " back from a copy, or remove it",
		})
	}
	return shown, nil
}

// Show returns a proposal that waits, with what deciding like this would change.
// One that is closed already is DECISION_CLOSED; one that cannot be applied as it
// is comes with the error that says so.
func (s *Store) Show(ctx context.Context, projectRoot, id string, c Settle) (Shown, error) {
	project, p, err := s.waiting(projectRoot, id)
	if err != nil {
		return Shown{Proposal: p}, err
	}
	defer project.Close()
	return s.show(ctx, project, projectRoot, p, c)
}

func damaged(err error) error {
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return err
	}
	return fault.New(fault.WorkspaceFileReadFailed, "the proposal's record cannot be read").Because(err)
}

// show adds what an open proposal would change.
func (s *Store) show(ctx context.Context, project *os.Root, projectRoot string, p Proposal, c Settle) (Shown, error) {
	shown := Shown{Proposal: p}
	if p.State != Open {
		return shown, nil
	}
	d, err := p.deliverable(projectRoot)
	if err != nil {
		return shown, err
	}
	rows, err := content(project, p.ID)
	if err != nil {
		return shown, err
	}
	shown.Diff, shown.Tag, err = s.o.Files.Preview(ctx, d, rows, p.options(c))
	shown.Stale = shown.Diff != nil && shown.Tag != p.MadeFor
	return shown, err
}

// options say how a proposal is taken over when it is decided on like this.
func (p *Proposal) options(c Settle) register.ProposalOptions {
	return register.ProposalOptions{Complete: p.Complete && c.Retire, Retirable: append([]string{}, p.Missing...), Only: c.Only}
}

// Settle is what a person decides about a proposal.
type Settle struct {
	// By is who decides.
	By string
	// Only are the rows that are applied, by id; nil applies all. Without Retire
	// none is retired that the proposal does not have.
	Only   []string
	Retire bool
	// Match is [registerfile.Change.Match]. Without it a register that has changed
	// since the proposal was made is CONTENT_CHANGED: anyone who decides looks at what
	// the proposal would change now.
	Match func(tag string) bool
}

// Apply takes a proposal over into the register and closes it. One that is closed
// already is DECISION_CLOSED: of two who decide at the same time, one learns of the other.
func (s *Store) Apply(ctx context.Context, projectRoot, id string, c Settle) (Proposal, registerfile.Result, error) {
	project, p, done, err := s.decide(ctx, projectRoot, id)
	if err != nil {
		return p, registerfile.Result{}, err
	}
	defer done()
	d, err := p.deliverable(projectRoot)
	if err != nil {
		return p, registerfile.Result{}, err
	}
	rows, err := content(project, id)
	if err != nil {
		return p, registerfile.Result{}, err
	}
	o := p.options(c)
	if c.Only != nil {
		diff, _, err := s.o.Files.Preview(ctx, d, rows, o)
		if err == nil {
			err = Has(diff, c.Only)
		}
		if err != nil {
			return p, registerfile.Result{}, err
		}
	}
	if c.Match == nil {
		c.Match = func(tag string) bool { return tag == p.MadeFor }
	}
	closed := p
	closed.State, closed.SettledAt, closed.SettledBy = Applied, s.now(), c.By
	record, err := closed.replaces(project)
	if err != nil {
		return p, registerfile.Result{}, err
	}
	result, err := s.o.Files.Apply(ctx, d, registerfile.Change{By: c.By, Match: c.Match, With: []changeset.File{record}}, rows, o, "proposal "+id)
	switch {
	case err != nil:
		return p, registerfile.Result{}, err
	case result.Written: // the proposal with it, so that taking it back opens that again
		return closed, result, nil
	}
	err = s.settle(project, &p, Applied, c.By)
	return p, result, err
}

// Dismiss closes a proposal without applying it.
func (s *Store) Dismiss(ctx context.Context, projectRoot, id, by string) (Proposal, error) {
	project, p, done, err := s.decide(ctx, projectRoot, id)
	if err != nil {
		return p, err
	}
	defer done()
	err = s.settle(project, &p, Dismissed, by)
	return p, err
}

// decide opens the project of a proposal that waits, and keeps others from deciding about
// it until the caller is done.
func (s *Store) decide(ctx context.Context, projectRoot, id string) (project *os.Root, p Proposal, done func(), err error) {
	unlock, err := s.lock(ctx, projectRoot)
	if err != nil {
		return nil, p, nil, err
	}
	if project, p, err = s.waiting(projectRoot, id); err == nil {
		err = sweep(project)
	}
	done = func() {
		if project != nil {
			_ = project.Close() // what was written is closed already
		}
		unlock()
	}
	if err != nil {
		done()
		return nil, p, nil, err
	}
	return project, p, done, nil
}

// waiting opens the project of a proposal that waits; the caller closes it.
func (s *Store) waiting(projectRoot, id string) (*os.Root, Proposal, error) {
	project, err := workspace.OpenProject(projectRoot)
	if err != nil {
		return nil, Proposal{}, err
	}
	p, err := load(project, id)
	if err == nil {
		err = p.isOpen()
	}
	if err != nil {
		_ = project.Close() // it was only read
		return nil, p, damaged(err)
	}
	return project, p, nil
}

func (p *Proposal) isOpen() error {
	if p.State == Open {
		return nil
	}
	return fault.New(fault.DecisionClosed, "the proposal was %s already", p.State).With("state", p.State).With("by", p.SettledBy).With("time", p.SettledAt).
		WithHint("list the proposals that wait with GET /api/project/proposals")
}

// settle closes a proposal; the lock is held.
func (s *Store) settle(project *os.Root, p *Proposal, state State, by string) error {
	p.State, p.SettledAt, p.SettledBy = state, s.now(), by
	err := save(project, *p)
	switch {
	case errors.Is(err, durable.ErrUnflushed):
		return fault.New(fault.StorageFailure, "the proposal is closed, but a power cut may open it again").
			WithHint("look after the disk").Because(err)
	case err != nil:
		return fault.New(fault.StorageFailure, "the proposal could not be closed; it can be applied again without harm").Because(err)
	}
	return nil
}
