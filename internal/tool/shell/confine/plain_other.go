//go:build !linux

package confine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// etcParts are not granted one by one here.
type etcParts struct{}

func findEtcParts() etcParts { return etcParts{} }

// There are no control groups.
func findCgroup(string) (string, error) { return "", errors.ErrUnsupported }

// probe says that this system holds nothing of what Linux does.
func (r *Runner) probe() Report {
	found := Report{
		System: runtime.GOOS, Network: r.o.Network, PlainShell: plainShell(),
		Reasons: []string{"belay confines commands on Linux only"},
	}
	found.judge()
	return found
}

// plain is a command without a sandbox, in a group of its own.
type plain struct {
	cmd   *exec.Cmd
	group group
}

// start starts the command as the first of a group.
func (r *Runner) start(c Command, out *os.File) (process, error) {
	path, err := shell()
	if err != nil {
		return nil, &SetupError{"find a shell", err}
	}
	// No context: the group is ended, not the first process alone.
	cmd := &exec.Cmd{
		Path: path, Args: []string{path, "-c", c.Text}, Dir: c.Dir,
		Env:    r.environment(c),
		Stdout: out, Stderr: out,
	}
	g, err := newGroup(cmd)
	if err != nil {
		return nil, &SetupError{"make a process group", err}
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(&SetupError{"start the shell", err}, g.close())
	}
	p := &plain{cmd: cmd, group: g}
	if err := g.adopt(cmd.Process.Pid); err != nil {
		p.end()
		_, waitErr := p.wait()
		return nil, errors.Join(&SetupError{"put the command into its group", err}, waitErr)
	}
	return p, nil
}

// wait implements process. What the command left in its group is ended with it.
func (p *plain) wait() (ending, error) {
	err := p.cmd.Wait()
	p.end()
	err = errors.Join(dropExit(err), p.group.close())
	return endingOf(p.cmd.ProcessState), err
}

// end implements process.
func (p *plain) end() { p.group.kill() }

// dropExit leaves out that a command failed: that is an ending, not an error.
func dropExit(err error) error {
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) {
		return nil
	}
	return fmt.Errorf("wait for the command: %w", err)
}

// fileTreeStep is no step here: a command has the machine's file tree.
const fileTreeStep = "\x00"
