package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/kept"
	"belay/internal/tool/shell/overlay"
	"belay/internal/tool/shell/quota"
)

// transaction is one command that runs in an overlay on the project. Nothing that it
// changes there is real until [pending.Apply].
type transaction struct {
	*call
	upper *overlay.Upper
	// notes are sentences on what can never be applied, for the model.
	notes []string
	// refused are changes that were not applied although the command made them.
	refused []session.Change
}

// transact runs the command. What it changed, as far as that may be applied at all,
// is in the result, for whoever decides on it.
func (c *call) transact(ctx context.Context) (tool.Result, error) {
	if id := tool.OriginOf(ctx).ChangeID; c.Held(ctx) {
		return c.resume(id)
	}
	t, run, err := c.begin()
	if err != nil {
		return tool.Result{}, err
	}
	outcome, err := c.run(ctx, run)
	if err != nil {
		return tool.Result{}, errors.Join(notRun(err), t.upper.Remove())
	}
	return t.finish(ctx, outcome, outcome.Output)
}

// begin makes the overlay of a command that runs next.
func (c *call) begin() (*transaction, confine.Command, error) {
	upper, err := overlay.Make(c.environment.Root)
	if err != nil {
		return nil, confine.Command{}, err
	}
	upper.MostBytes, upper.MostChanges = c.shell.disk.WriteBytes, c.shell.mostChanges
	run := c.command()
	run.Upper, run.Work = upper.Folders()
	run.Guard = upper.Guard()
	return &transaction{call: c, upper: upper}, run, nil
}

// finish reviews what the command changed that has ended. Of its output the result tells
// what is said.
func (t *transaction) finish(ctx context.Context, outcome confine.Outcome, said confine.Output) (_ tool.Result, err error) {
	var changes *pending
	defer func() {
		if changes == nil {
			err = errors.Join(err, t.upper.Remove())
		}
	}()
	shown := outcome
	shown.Output = said
	t.notes = explained(said)
	if t.exceeded != nil {
		t.note("nothing of what it changed in the project was applied; $HOME and $TMPDIR hold what it wrote there")
		return t.result(shown, t.notes), nil
	}
	// What a command did is reviewed to the end, also when its turn is interrupted
	// now: the person learns its outcome.
	reviewCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviewTime)
	defer cancel()
	allowed, conflicts, err := t.settle(reviewCtx)
	if err != nil {
		return tool.Result{}, err
	}
	result := t.result(shown, t.notes)
	if len(allowed) == 0 {
		return result, nil
	}
	by := tool.OriginOf(ctx)
	changes = &pending{call: t.call, upper: t.upper, value: result.Value, record: kept.Record{
		ID: by.ChangeID, Created: t.environment.Clock().UTC(), Origin: by, Conflicts: conflicts, Changes: allowed,
		Result: kept.Result{Text: t.environment.WithoutKeys(result.Text), Truncated: result.Truncated, Failed: result.Failed},
	}}
	if changes.record.Effect, err = t.effect(reviewCtx, allowed, outcome, result.Failed); err != nil {
		changes = nil
		return tool.Result{}, err
	}
	if len(changes.record.Effect.Automatic) > 0 {
		if changes.divided, err = t.split(reviewCtx, allowed, outcome, result.Failed); err != nil {
			changes = nil
			return tool.Result{}, err
		}
	}
	result.Changes = changes
	return result, nil
}

// settle reviews what the command changed, and returns what may be applied.
func (t *transaction) settle(ctx context.Context) (allowed []journal.Change, conflicts []string, err error) {
	t.upper.Ignored = t.ignores()
	t.upper.Admit = func(c *journal.Change) (why, err error) { return forbidden(t.environment, c) }
	set, err := t.upper.Changes(ctx)
	var many *overlay.TooManyError
	var ignored *overlay.TooManyIgnoredError
	var large *overlay.TooLargeError
	switch {
	case errors.As(err, &many):
		t.note("nothing of what it changed was applied: %v", many)
		return nil, nil, nil
	case errors.As(err, &ignored):
		t.note("nothing of what it changed was applied: %v", ignored)
		return nil, nil, nil
	case errors.As(err, &large):
		t.note("nothing of what it changed was applied: %v (%s)", large, quota.SettingWrite)
		return nil, nil, nil
	case errors.Is(err, context.DeadlineExceeded):
		t.note("nothing of what it changed was applied: the review of it took longer than %v", reviewTime)
		return nil, nil, nil
	case errors.Is(err, fs.ErrPermission):
		t.note("nothing of what it changed was applied: %v", err)
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	for _, d := range set.Dropped {
		t.note("%s %s", d.Path, d.Reason)
	}
	if set.Meanwhile != "" {
		t.note("the project changed while it ran (%s), so it may have seen a mixture of old and new files", set.Meanwhile)
	}
	real, err := t.refreshed(set.Changes)
	if err != nil {
		return nil, nil, err
	}
	allowed, err = t.review(ctx, real, set.Dropped)
	t.environment.Ledger.Note(t.refused...)
	return allowed, set.Conflicts, err
}

func (t *transaction) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// command is what runs, with everything but its overlay.
func (c *call) command() confine.Command {
	w := c.environment
	masked := []string{filepath.Join(w.Project, ".belay")}
	for _, project := range w.Nested {
		masked = append(masked, filepath.Join(project, ".belay"))
	}
	return confine.Command{
		Text: c.in.Command, Dir: c.dir, Project: w.Project, Scratch: w.Scratch,
		Masked: masked,
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
