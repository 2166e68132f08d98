package shell

import (
	"context"
	"errors"
	"path/filepath"

	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
)

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
	defer func() { c.endedJobs = c.jobsThatEnded(tool.OriginOf(ctx).Agent) }()
	o, err := c.shell.runner.Run(ctx, run)
	if errors.As(err, &c.exceeded) {
		return o, nil
	}
	return o, err
}
