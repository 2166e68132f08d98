package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/overlay"
)

// transaction is one command that runs in an overlay on the project. Nothing that it
// changes there is real until [transaction.apply].
type transaction struct {
	*call
	upper *overlay.Upper
	// notes are sentences on what was not applied, for the model.
	notes []string
	// refused are changes that were not applied although the command made them.
	refused []session.Change
}

// transact runs the command and applies what it changed, as far as that is allowed:
// all of it or, where something else changed the same files meanwhile, nothing.
func (c *call) transact(ctx context.Context) (_ tool.Result, err error) {
	upper, err := overlay.Make(c.place.Root)
	if err != nil {
		return tool.Result{}, err
	}
	t := &transaction{call: c, upper: upper}
	defer func() { err = errors.Join(err, upper.Remove()) }()
	run := c.command()
	run.Upper, run.Work = upper.Folders()
	run.Guard = upper.Guard()
	outcome, err := c.shell.runner.Run(ctx, run)
	if err != nil {
		return tool.Result{}, notRun(err)
	}
	// What a command did is reviewed to the end, also when its turn is interrupted
	// now: the person is told what became of it.
	reviewCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviewTime)
	defer cancel()
	if err := t.settle(reviewCtx); err != nil {
		return tool.Result{}, err
	}
	return c.result(outcome, t.notes), nil
}

// settle reviews and applies what the command changed.
func (t *transaction) settle(ctx context.Context) error {
	set, err := t.upper.Changes(ctx)
	var many *overlay.TooManyError
	switch {
	case errors.As(err, &many):
		t.note("nothing of what it changed was applied: %v", many)
		return nil
	case errors.Is(err, fs.ErrPermission):
		t.note("nothing of what it changed was applied: %v", err)
		return nil
	case err != nil:
		return err
	}
	for _, d := range set.Dropped {
		t.note("%s %s", d.Path, d.Reason)
	}
	changes, err := t.review(ctx, set.Changes)
	if err != nil {
		return err
	}
	t.place.Ledger.Note(t.refused...)
	var paths []string
	for _, c := range changes {
		if _, found := slices.BinarySearch(set.Conflicts, string(c.Path)); found {
			paths = append(paths, string(c.Path))
		}
	}
	if len(paths) == 0 {
		err = t.apply(ctx, changes)
		var conflict *journal.ConflictError
		if !errors.As(err, &conflict) {
			return err
		}
		for _, c := range conflict.Conflicts {
			paths = append(paths, string(c.Path))
		}
	}
	t.conflict(paths)
	return nil
}

func (t *transaction) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// conflict tells that nothing was applied.
func (t *transaction) conflict(paths []string) {
	slices.Sort(paths)
	t.note("nothing of what it changed was applied: %s was changed by something else meanwhile; look at it, and run the command again", paths[0])
}

// apply makes the changes in the project, all or none.
func (t *transaction) apply(ctx context.Context, changes []journal.Change) (err error) {
	if len(changes) == 0 {
		return nil
	}
	w := t.place
	pass, err := w.Gate.Enter(ctx, w.Project)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pass.Leave()) }()
	j, err := files.OpenJournal(ctx, w.Journal, w.Project, w.Root, pass)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	noted := recorded(changes)
	if err := t.keep(ctx, changes, noted); err != nil {
		return err
	}
	by := tool.OriginOf(ctx)
	plan := journal.Plan{
		Owner:   journal.Owner{What: Name, Session: by.SessionID, Turn: by.TurnID, Agent: by.Agent, Call: by.CallID},
		Changes: changes, Inside: true,
	}
	if err := files.Transact(ctx, w, pass, j, plan, noted); err != nil {
		return err
	}
	for _, c := range noted {
		w.Seen.Forget(c.Path)
	}
	w.Ledger.Note(noted...)
	return nil
}

// command is what runs, with everything but its overlay.
func (c *call) command() confine.Command {
	w := c.place
	return confine.Command{
		Text: c.in.Command, Dir: c.dir, Project: w.Project, Scratch: w.Scratch,
		Masked: []string{filepath.Join(w.Project, ".belay")},
		Time:   c.limit, OutputBytes: outputBytes(w.Limits),
	}
}

// notRun is the error of a command that was not started, in words for the model.
func notRun(err error) error {
	var setup *confine.SetupError
	if !errors.As(err, &setup) {
		return err
	}
	return tool.Refuse("the command was not run: the sandbox could not be set up: %v", setup).
		WithHint("belay doctor says what this machine holds").Because(err)
}
