package shell

import (
	"context"
	"errors"

	"belay/internal/tool"
)

// inspect finds out, before a person is asked, whether somebody can find out what the command
// changes. Nobody looks after one that the machine cannot keep from changing anything.
func (c *call) inspect(ctx context.Context) (err error) {
	if c.compares() {
		c.doubt, _, err = c.shell.doubt(ctx, c.environment)
	}
	return err
}

// readOnly reports whether the command cannot change the project.
func (c *call) readOnly() bool { return !c.deferred && c.report.ReadOnly && !c.in.Write }

// compares reports whether the command changes the project itself, and is compared
// before and after.
func (c *call) compares() bool { return !c.deferred && c.report.ReadOnly && c.in.Write }

// plain runs a command without an overlay: the project is read-only for it, or it
// changes the project while it runs, and nothing of that is put back.
func (c *call) plain(ctx context.Context) (tool.Result, error) {
	if c.compares() {
		return c.compared(ctx)
	}
	run := c.command()
	run.ReadOnly = c.readOnly()
	outcome, err := c.run(ctx, run)
	if err != nil {
		return tool.Result{}, notRun(err)
	}
	r := c.result(outcome, nil)
	if r.Failed && run.ReadOnly {
		r.Text += "\nthe project was read-only for it: a command that is to change files there must say so with write"
	}
	return r, nil
}

// compared runs a command that changes the project, and reports which files it changed
// that it may not.
func (c *call) compared(ctx context.Context) (_ tool.Result, err error) {
	w := c.environment
	why, before, err := c.shell.doubt(ctx, w)
	if err != nil {
		return tool.Result{}, err
	}
	if why != "" && c.doubt == "" { // it was not asked about that
		return tool.Result{}, tool.Refuse("the command was not run: %s", why).WithHint("a person decides about it when you call it again")
	}
	if before != nil {
		err = c.shell.keepWatched(w, watched{Before: before})
	} else {
		err = c.shell.dropWatched(w)
	}
	if err != nil {
		return tool.Result{}, err
	}
	outcome, runErr := c.run(ctx, c.command())
	// It is looked at to the end, also when its turn is interrupted now.
	after := watched{Before: before}
	if before != nil {
		now, lookErr := look(context.WithoutCancel(ctx), w)
		if lookErr != nil {
			after.Failed = lookErr.Error()
		} else {
			after.Changed = before.changed(now)
		}
	}
	if after.Failed == "" && len(after.Changed) == 0 {
		err = c.shell.dropWatched(w)
	} else {
		err = c.shell.keepWatched(w, after)
	}
	if runErr != nil || err != nil {
		return tool.Result{}, errors.Join(notRun(runErr), err)
	}
	return c.reported(c.result(outcome, nil), after), nil
}

// reported adds to a result what was found after the command.
func (c *call) reported(r tool.Result, found watched) tool.Result {
	switch {
	case len(found.Changed) > 0:
		r.Overreach = "changed what it may not: " + listed(found.Changed)
		r.Text += "\nit " + r.Overreach + "; that was not put back"
	case found.Failed != "":
		r.Overreach = "left the project so that protected files could not be compared: " + found.Failed
		r.Text += "\nit " + r.Overreach
	case found.Before == nil:
		r.Text += "\nwhat it did to protected files is not known: they could not be compared"
		return r
	default:
		return r
	}
	r.Text += "; a person is asked before the next command that changes the project"
	r.Failed = true
	return r
}
