package proc

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Usage is what a program took from its start to its end.
type Usage struct {
	Wall time.Duration
	// Processor is the time in the program and in the kernel for it, of all cores.
	Processor time.Duration
	// Peak is the most memory that it occupied, in bytes, as far as looking every
	// few milliseconds tells; 0 where the system does not say.
	Peak int64
}

// every is how often a running program's memory is looked at.
const every = 5 * time.Millisecond

// Run runs a program to its end, its messages going to errs, its output nowhere.
// An exit code other than 0 is an error.
func Run(ctx context.Context, c Command, errs io.Writer) (Usage, error) {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env, cmd.Dir, cmd.Stderr = c.Env, c.Dir, errs
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return Usage{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(every)
	defer look.Stop()
	var u Usage
	for {
		select {
		case <-look.C:
			if m, err := memoryOf(cmd.Process.Pid); err == nil {
				u.Peak = max(u.Peak, m.Peak)
			}
		case err := <-ended:
			u.Wall = time.Since(begin)
			if err != nil {
				return u, fmt.Errorf("%s %q: %w", c.Path, c.Args, err)
			}
			u.Processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return u, nil
		}
	}
}
