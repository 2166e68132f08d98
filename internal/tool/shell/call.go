package shell

import (
	"context"
	"time"

	"belay/internal/tool"
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
		outcome, err := c.shell.person.Run(ctx, c.command())
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
