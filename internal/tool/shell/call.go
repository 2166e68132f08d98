package shell

import (
	"context"
	"errors"
	"time"

	"belay/internal/tool"
	"belay/internal/tool/shell/quota"
	"belay/internal/tool/shell/watch"
)

// call is one command, checked.
type call struct {
	shell  *Shell
	place  *tool.Workplace
	in     input
	dir    string
	limit  time.Duration
	report Report
	// deferred is set where the command runs on an overlay of the project.
	deferred bool
	// exceeded is why the command was ended, nil where it took no more of the disk
	// than it may.
	exceeded *quota.ExceededError
	// unreached says which hosts the command did not reach, and why.
	unreached []string
}

// reviewTime bounds how long a command's changes are looked at after it. The
// review is not cut short by an interrupt: what a command had no right to do is
// taken back in any case.
const reviewTime = 5 * time.Minute

// Run implements tool.Call.
func (c *call) Run(ctx context.Context) (tool.Result, error) {
	switch {
	case c.in.Outside:
		outcome, err := c.shell.person.Run(ctx, c.command())
		if err != nil {
			return tool.Result{}, notRun(err)
		}
		return c.result(outcome, nil), nil
	case c.deferred:
		return c.transact(ctx)
	}
	w := c.place
	watched, err := c.shell.watch.Begin(ctx, watch.Place{
		Project: w.Project, Root: w.Root, Scope: w.Scope, Blobs: w.Blobs, FileBytes: w.Limits.KeepBytes,
		Origin: tool.OriginOf(ctx), Wait: c.limit,
	})
	if err != nil {
		return tool.Result{}, beginError(err)
	}
	run := c.command()
	run.Guard = watched.Guard()
	outcome, runErr := c.run(ctx, run)
	reviewCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviewTime)
	defer cancel()
	did, err := watched.End(reviewCtx)
	c.note(did)
	if err != nil {
		return tool.Result{}, errors.Join(err, runErr)
	}
	switch {
	case runErr != nil:
		return tool.Result{}, notRun(runErr)
	case did.Gone:
		r := tool.Refuse("the command removed the project folder; it was made again with what was kept of it").
			WithHint("start a new turn")
		r.Authority = true
		return tool.Result{}, r
	}
	return c.result(outcome, did.Notes), nil
}

// beginError tells the model why its command was not run.
func beginError(err error) error {
	var many *watch.TooManyFilesError
	if errors.As(err, &many) {
		return tool.Refuse("the command was not run: %v, so that what it changes could not be watched", many).
			WithHint("bash.max_files raises the limit").Because(err)
	}
	var busy *watch.BusyError
	if errors.As(err, &busy) {
		return tool.Refuse("the command was not run: %v", busy).WithHint("do something else, and try it again later").Because(err)
	}
	return err
}

// note records the changes, and that the model does not know these files any
// more.
func (c *call) note(did watch.Result) {
	if len(did.Changes) == 0 {
		return
	}
	c.place.Ledger.Note(did.Changes...)
	if did.Recorded != nil {
		c.place.Ledger.Then(did.Recorded)
	}
	for _, change := range did.Changes {
		if !change.Restored && c.place.Seen != nil {
			c.place.Seen.Forget(change.Path)
		}
	}
}
