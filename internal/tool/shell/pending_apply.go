package shell

import (
	"context"
	"errors"
	"fmt"
	"os"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// keepAfter keeps changes that could not be applied. A command that ran for long is not to run
// again because the disk was full, or the project busy, for a moment.
func (p *pending) keepAfter(ctx context.Context, failed error) (tool.Result, error) {
	why := reasonOf(failed)
	r, err := p.Keep(ctx, "they could not be applied: "+why)
	if err != nil {
		return tool.Result{}, fmt.Errorf("keep changes that could not be applied (%s): %w", why, err)
	}
	return r, nil
}

// reasonOf is an error in words for the model and the person.
func reasonOf(err error) string {
	if refusal, ok := tool.AsRefusal(err); ok {
		return refusal.Reason
	}
	if f := fault.From(err); f.Type != fault.SDKFailure {
		return f.Message
	}
	return err.Error()
}

// leave frees what is held, and leaves it where it is.
func (p *pending) leave() (err error) {
	if p.held != nil {
		err = p.held.Close()
	} else if p.upper != nil {
		err = p.upper.Remove()
	}
	p.held, p.upper = nil, nil
	return err
}

// remove removes the changes, which are real now or unwanted.
func (p *pending) remove() (err error) {
	if p.held != nil {
		err = p.held.Remove()
	} else if p.upper != nil {
		err = p.upper.Remove()
	}
	p.held, p.upper = nil, nil
	return err
}

// risenError says that changes would run by themselves that nobody has decided on as such:
// what else is in the project has changed meanwhile.
type risenError struct{ file string }

// Error implements error.
func (e *risenError) Error() string {
	return "since it was decided on, other programs would run some of it by themselves (" + e.file + ")"
}

// reviewAgain makes the review of changes anew. Two changes that are ordinary, each for itself,
// can make something run together.
func (p *pending) reviewAgain(ctx context.Context, changes []journal.Change) error {
	root := p.call.environment.Root
	r, err := risksOf(ctx, p.call.environment, p.made(), changes)
	if err != nil { // as where a folder has come in the place of a file
		if found, cerr := conflicts(ctx, root, p.record, changes); cerr == nil && len(found) > 0 {
			return &journal.ConflictError{Conflicts: found}
		}
		return err
	}
	if file := r.beyond(p.decided().Automatic); file != "" {
		return &risenError{file}
	}
	return nil
}

// apply makes the changes in the project, all or none.
func (p *pending) apply(ctx context.Context, changes []journal.Change) error {
	w, by := p.call.environment, p.record.Origin
	owner := journal.Owner{What: Name, Session: by.SessionID, Turn: by.TurnID, Agent: by.Agent, Call: by.CallID}
	return inProject(ctx, w, func(j *journal.Project) error {
		if p.resumed { // the process may have made them, and died before it could say so
			if real, err := AreReal(ctx, w.Root, changes); err != nil || real {
				return err
			}
		}
		if err := p.reviewAgain(ctx, changes); err != nil {
			return err
		}
		noted, err := makeChanges(ctx, w, j, journal.Plan{Owner: owner, Changes: changes, Contents: p.contents(changes)}, func([]session.Change) error { return nil })
		if err != nil {
			return err
		}
		for _, c := range noted {
			w.Seen.Forget(c.Path)
		}
		w.Ledger.Note(noted...)
		return nil
	})
}

// contents is the folder that a transaction of changes may take, "" where some of it is
// to stay.
func (p *pending) contents(changes []journal.Change) journal.Name {
	if len(changes) != len(p.record.Changes) {
		return ""
	}
	return p.made()
}

// made is the folder with what the command made.
func (p *pending) made() journal.Name {
	if p.held != nil {
		return p.held.Contents()
	}
	return p.upper.Contents()
}

// inProject lends the journal of a project that nobody else changes meanwhile.
func inProject(ctx context.Context, w *tool.Environment, do func(*journal.Project) error) (err error) {
	pass, err := w.Gate.Enter(ctx, w.Project)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pass.Leave()) }()
	j, err := files.OpenJournal(ctx, w.Journal, w.Project, w.Root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	return do(j)
}

// makeChanges makes the changes of a plan, which a review has allowed, all or none, and
// returns them as the session has them on record. Then is called with those before they
// are certain.
func makeChanges(ctx context.Context, w *tool.Environment, j *journal.Project, plan journal.Plan, then func([]session.Change) error) ([]session.Change, error) {
	noted := files.Recorded(plan.Changes)
	if !isInPlace(w) {
		return nil, tool.Refuse("the project was moved")
	}
	if err := keepContents(ctx, w, plan.Changes, noted, w.Ledger.Before != nil); err != nil {
		return nil, err
	}
	plan.Changes, plan.Inside = gitOrder(plan.Changes), true
	return noted, files.TransactThen(ctx, w, j, plan, noted, func() error { return then(noted) })
}

// isInPlace reports whether the project is still where its records and contents go. Another
// folder may have taken its place, and gets none of them.
func isInPlace(w *tool.Environment) bool {
	open, err := w.Root.Stat(".")
	named, err2 := os.Stat(w.Project)
	return err == nil && err2 == nil && os.SameFile(open, named)
}
