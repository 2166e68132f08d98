package confine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Runner runs commands under one set of options. It is safe for concurrent use.
type Runner struct {
	o Options
	// found is what the machine has, looked at once.
	found func() Report
	// etc is what of the system's configuration is for everybody, looked at once.
	etc func() etcParts
	// cgroups is where control groups for commands can be made, looked for once.
	cgroups func() (string, error)
}

// New returns a runner. It looks at nothing yet: the machine is tried at the
// first [Runner.Report] or [Runner.Run].
func New(o Options) *Runner {
	r := &Runner{o: o.withDefaults()}
	r.found = sync.OnceValue(r.probe)
	r.etc = sync.OnceValue(findEtcParts)
	r.cgroups = sync.OnceValues(func() (string, error) { return findCgroup("/proc/self") })
	return r
}

// drainTime is how long the end of a command's output is waited for after all
// its processes are gone. The pipe is then closed already; only a process
// outside the command that was handed its end could keep it open.
const drainTime = 250 * time.Millisecond

// process is a started command. Its methods are called by one goroutine, but for
// end.
type process interface {
	// wait returns when nothing of the command runs any more.
	wait() (ending, error)
	// end ends the command and all its processes. It returns at once; wait tells
	// when it is done.
	end()
}

// ending is how a command and its processes ended, if the system reports it.
type ending struct {
	exitCode int
	signal   string
	left     int
	crowded  bool
	starved  bool
}

// Run runs a command to its end, to the end of its time or to that of ctx,
// whichever is first. Nothing of it runs when Run returns. A command that failed
// is an outcome, not an error; a [*SetupError] says that it was not started. When
// ctx ended it, the outcome says what there was and the error is ctx's.
func (r *Runner) Run(ctx context.Context, c Command) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	if err := prepareScratch(c.Scratch); err != nil {
		return Outcome{}, &SetupError{"prepare the scratch folder", err}
	}
	out, in, err := os.Pipe()
	if err != nil {
		return Outcome{}, &SetupError{"open a pipe", err}
	}
	defer func() { _ = out.Close() }()
	began := time.Now()
	p, err := r.start(c, in)
	_ = in.Close() // the command has its own
	if err != nil {
		return Outcome{}, err
	}
	if c.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Time, errTime)
		defer cancel()
	}
	unwatch := context.AfterFunc(ctx, p.end)

	said := NewRecorder(c.OutputBytes)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		if c.Said != nil {
			copyAll(io.MultiWriter(said, c.Said), out)
			return
		}
		copyAll(said, out)
	}()
	e, err := p.wait()
	_ = out.SetReadDeadline(time.Now().Add(drainTime)) // a pipe that takes no deadline is at its end anyway
	<-drained
	o := Outcome{
		Output: said.output(), ExitCode: e.exitCode, Signal: e.signal,
		Crowded: e.crowded, Starved: e.starved, Left: e.left, Took: time.Since(began),
	}
	if !unwatch() && err == nil { // it was ended by us
		o.TimedOut = errors.Is(context.Cause(ctx), errTime)
		if !o.TimedOut {
			err = context.Cause(ctx)
		}
	}
	return o, err
}

// errTime is the cause of the end of a command whose time ran out.
var errTime = errors.New("the command's time ran out")

// copyAll reads until the end or the deadline.
func copyAll(w io.Writer, f *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		_, _ = w.Write(buf[:n]) // recorders take all
		if err != nil {
			return
		}
	}
}

// prepareScratch makes the folders that a command needs in its scratch. An earlier
// command may have put something else in their places.
func prepareScratch(scratch string) error {
	for _, dir := range []string{homeDir, tmpDir} {
		path := filepath.Join(scratch, dir)
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(path, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// plainShell reports whether there is no bash, so that sh runs commands.
func plainShell() bool {
	path, err := shell()
	return err == nil && !strings.HasPrefix(filepath.Base(path), "bash")
}

// shell finds the program that runs the text of commands.
func shell() (string, error) {
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("neither bash nor sh is installed: %w", exec.ErrNotFound)
}
