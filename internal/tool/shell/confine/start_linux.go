package confine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"belay/internal/tool/shell/confine/keeper"
)

// start starts a keeper for the command.
func (r *Runner) start(c Command, out *os.File) (process, error) {
	found := r.found()
	p, err := r.plan(c, found)
	if err != nil {
		return nil, err
	}
	c.Ports = r.served(c)
	return r.startIn(found, p, out, c)
}

// startIn starts a keeper in a control group of its own, where there is to be one.
func (r *Runner) startIn(found Report, p *keeper.Plan, out *os.File, c Command) (process, error) {
	if !found.Memory {
		return startKeeper(p, out, c, nil)
	}
	parent, err := r.cgroups()
	if err != nil {
		return nil, &SetupError{"find a place for a control group", err}
	}
	g, err := makeCgroup(parent, r.o.Limits)
	if err != nil {
		return nil, &SetupError{"make a control group", err}
	}
	running, err := startKeeper(p, out, c, g)
	if err != nil {
		g.remove()
	}
	return running, err
}

// keeperEnv is all that a keeper needs: one processor, because it mostly waits,
// and no sleep at its end where it was built to find races.
var keeperEnv = []string{"GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0"}

// kept is a command in its keeper's hands.
type kept struct {
	cmd     *exec.Cmd
	answer  *os.File
	control *os.File
	// cgroup is nil where the command has none of its own.
	cgroup *cgroup
	// network is nil where belay serves nothing in the command's own.
	network *ownNetwork
	// group is the command's process group, once it is known and where it is not
	// enough to end the keeper.
	group atomic.Int64
	once  sync.Once
	last  *time.Timer
}

// keeperGrace is how long a keeper may take to end its tree before it is ended
// itself.
const keeperGrace = 5 * time.Second

func startKeeper(p *keeper.Plan, out *os.File, c Command, g *cgroup) (process, error) {
	controlOut, control, err := os.Pipe()
	if err != nil {
		return nil, &SetupError{"open a pipe", err}
	}
	answer, answerIn, err := os.Pipe()
	if err != nil {
		_, _ = controlOut.Close(), control.Close()
		return nil, &SetupError{"open a pipe", err}
	}

	// No context: the keeper ends with its pipe, so that it can end its tree.
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], keeper.Arg}, // also when the file was replaced meanwhile
		Env: keeperEnv, Dir: "/",
		Stdout: out, ExtraFiles: []*os.File{controlOut, answerIn},
		SysProcAttr: attributes(p),
	}
	p.Guarded = c.Guard != nil
	cmd.ExtraFiles = append(cmd.ExtraFiles, c.Guard) // nil takes its place, too
	var network *ownNetwork
	var networkIn *os.File
	if len(p.Ports) > 0 || p.Inside {
		if network, networkIn, err = newNetwork(c.Ports, c.Inside); err != nil {
			_, _, _, _ = controlOut.Close(), control.Close(), answer.Close(), answerIn.Close()
			return nil, &SetupError{"enter the command's own network", err}
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, networkIn)
	}
	if g != nil {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(g.folder.Fd())
	}
	err = cmd.Start()
	_, _ = controlOut.Close(), answerIn.Close() // the keeper has its own
	if networkIn != nil {
		_ = networkIn.Close()
	}
	if err != nil {
		network.stop()
		_, _ = control.Close(), answer.Close()
		return nil, &SetupError{"start the command's keeper", err}
	}
	k := &kept{cmd: cmd, answer: answer, control: control, cgroup: g, network: network}
	if err := keeper.Send(control, p); err != nil {
		k.end() // wait tells why it does not listen
	}
	return k, nil
}

// attributes are what only the starting process can give the keeper.
func attributes(p *keeper.Plan) *syscall.SysProcAttr {
	if p.Tree == nil {
		return &syscall.SysProcAttr{Setsid: true} // the terminal of belay is none of the command's
	}
	// In a tree of its own no terminal can be reached. A session would be a scheduling
	// group of its own (CONFIG_SCHED_AUTOGROUP): on a busy machine the first process of
	// it, which is the whole of most commands, waits until all other groups had a turn.
	a := &syscall.SysProcAttr{Setpgid: true}
	a.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC
	if p.Loopback {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	if p.User != nil {
		// The keeper maps its user itself: this process may be closed to others
		// ([Harden]), and so is then its child's map, until the child is a program
		// of its own. So nobody has to write it while the child waits, and the child
		// may borrow this process's memory as any other does: copying the tables of
		// a large server takes longer than many a command.
		a.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_VM | unix.CLONE_VFORK
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SETPCAP}
		if p.Tree.Overlay != nil {
			// The overlay works, in the name of who mounts it, in a folder that nobody
			// may enter.
			a.AmbientCaps = append(a.AmbientCaps, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER)
		}
	}
	return a
}

// wait implements process.
func (k *kept) wait() (ending, error) {
	a, err := k.listen()
	waitErr := k.cmd.Wait()
	k.network.stop()
	if err != nil {
		k.killGroup() // the keeper did not
	}
	k.end()
	k.last.Stop()
	_ = k.answer.Close()
	starved := k.cgroup.starved()
	k.cgroup.remove()
	if err != nil {
		return ending{}, fmt.Errorf("the command's keeper was ended: %w", errors.Join(waitErr, err))
	}
	if a.Problem != "" {
		return ending{}, &SetupError{a.Step, errors.New(a.Problem)}
	}
	e := ending{exitCode: int(a.ExitCode), left: int(a.Left), crowded: a.Crowded, starved: starved}
	if a.Signal != 0 {
		e.signal = unix.SignalName(syscall.Signal(a.Signal))
	}
	return e, nil
}

// listen hears the keeper out.
func (k *kept) listen() (a keeper.Answer, err error) {
	if err := keeper.Receive(k.answer, &a); err != nil || a.Problem != "" {
		return a, err
	}
	k.group.Store(int64(a.Group))
	return a, keeper.Receive(k.answer, &a)
}

// killGroup ends what is left in the command's process group.
func (k *kept) killGroup() {
	if group := k.group.Load(); group > 1 {
		_ = unix.Kill(-int(group), unix.SIGKILL) // nobody left is no failure
	}
}

// end implements process: the keeper's pipe closes, which tells it to end its
// tree; one that does not in time is ended, and with it its process table.
func (k *kept) end() {
	k.once.Do(func() {
		_ = k.control.Close() // nobody is there to hear of a failure
		k.last = time.AfterFunc(keeperGrace, func() {
			k.killGroup()
			_ = k.cmd.Process.Kill() // it may have ended just now
		})
	})
}
