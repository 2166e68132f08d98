package shell

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/egress"
	"belay/internal/tool/shell/quota"
)

// call is one command, checked.
type call struct {
	shell       *Shell
	environment *tool.Environment
	in          input
	dir         string
	limit       time.Duration
	report      Report
	// deferred is set where the command runs on an overlay of the project.
	deferred bool
	// doubt is why a person is asked about it, from [Shell.doubt].
	doubt string
	// exceeded is why the command was ended, nil where it took no more of the disk
	// than it may.
	exceeded *quota.ExceededError
	// stopped is set of a job that did not end by itself.
	stopped bool
	// unreached says which hosts the command did not reach, and why.
	unreached []string
	// endedJobs says which background jobs have ended meanwhile.
	endedJobs []string
}

// reviewTime bounds the review of a command's changes. An interrupt does not cut the
// review short.
const reviewTime = 5 * time.Minute

// Run implements tool.Call.
func (c *call) Run(ctx context.Context) (tool.Result, error) {
	switch {
	case c.in.Outside:
		run := c.command()
		defer c.show(ctx, &run)()
		outcome, err := c.shell.person.Run(ctx, run)
		if err != nil {
			return tool.Result{}, notRun(err)
		}
		return c.result(outcome, nil), nil
	case c.in.Background:
		return c.background(ctx)
	case c.deferred:
		return c.transact(ctx)
	}
	return c.plain(ctx)
}

// run runs the command, and ends it where it takes too much of the disk: that is an
// outcome, and c.exceeded says why.
func (c *call) run(ctx context.Context, run confine.Command) (confine.Outcome, error) {
	written := []string{run.Scratch}
	if run.Upper != "" {
		written = append(written, filepath.Join(run.Project, run.Upper)) // this package makes it in the project
	}
	ctx, stop := c.shell.disk.Watch(ctx, run.Project, written...)
	defer stop()
	if web := c.proxy(ctx); web != nil {
		run.Proxy = web.Serve
		defer func() {
			web.Close()
			c.unreached = web.Unreached()
		}()
	}
	defer c.join(ctx, &run)()
	defer c.show(ctx, &run)()
	defer func() { c.endedJobs = c.jobsThatEnded(tool.OriginOf(ctx).Agent) }()
	o, err := c.shell.runner.Run(ctx, run)
	if errors.As(err, &c.exceeded) {
		return o, nil
	}
	return o, err
}

// show has people see what the command writes, until the returned function is called.
func (c *call) show(ctx context.Context, run *confine.Command) (end func()) {
	if c.environment.Live == nil {
		return func() {}
	}
	shown := c.environment.Live(ctx)
	if run.Said == nil {
		run.Said = shown
	} else {
		run.Said = io.MultiWriter(run.Said, shown)
	}
	return func() { _ = shown.Close() } // it never fails
}

// proxy is the command's way to other machines, nil where it has none.
func (c *call) proxy(ctx context.Context) *egress.Proxy {
	decides := c.environment.Network
	if c.report.Network != confine.NetworkAsk || decides == nil {
		return nil
	}
	return egress.New(ctx, egress.Options{
		Dialer: c.shell.dialer,
		Ask: func(ctx context.Context, host string) (permit.Ruling, error) {
			return decides.Ask(ctx, permit.HostEffect(host))
		},
		Record: func(ctx context.Context, host string, r permit.Ruling) error {
			return decides.Record(ctx, permit.HostEffect(host), r)
		},
	})
}
