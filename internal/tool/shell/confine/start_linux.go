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

	"belay/internal/tool/shell/confine/supervisor"
)

// start starts a supervisor for the command.
func (r *Runner) start(c Command, out *os.File) (process, error) {
	found := r.found()
	p, err := r.plan(c, found)
	if err != nil {
		return nil, err
	}
	c.Ports = r.served(c)
	return r.startIn(found, p, out, c)
}

// startIn starts a supervisor in a control group of its own, where there is to be one.
func (r *Runner) startIn(found Report, p *supervisor.Plan, out *os.File, c Command) (process, error) {
	if !found.Memory {
		return startSupervisor(p, out, c, nil)
	}
	parent, err := r.cgroups()
	if err != nil {
		return nil, &SetupError{"find a place for a control group", err}
	}
	g, err := makeCgroup(parent, r.o.Limits)
	if err != nil {
		return nil, &SetupError{"make a control group", err}
	}
	running, err := startSupervisor(p, out, c, g)
	if err != nil {
		g.remove()
	}
	return running, err
}

// supervisorEnv is all that a supervisor needs: one processor, because it mostly waits,
// and no sleep at its end where it was built to find races.
var supervisorEnv = []string{"GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0"}

// kept is a command in its supervisor's hands.
type kept struct {
	cmd     *exec.Cmd
	answer  *os.File
	control *os.File
	// cgroup is nil where the command has none of its own.
	cgroup *cgroup
	// network is nil where belay serves nothing in the command's own.
	network *ownNetwork
	// group is the command's process group, once it is known and where it is not
	// enough to end the supervisor.
	group atomic.Int64
	once  sync.Once
	last  *time.Timer
}

// supervisorGrace is how long a supervisor may take to end its tree before it is ended
// itself.
const supervisorGrace = 5 * time.Second

func startSupervisor(p *supervisor.Plan, out *os.File, c Command, g *cgroup) (process, error) {
	controlOut, control, err := os.Pipe()
	if err != nil {
		return nil, &SetupError{"open a pipe", err}
	}
	answer, answerIn, err := os.Pipe()
	if err != nil {
		_, _ = controlOut.Close(), control.Close()
		return nil, &SetupError{"open a pipe", err}
	}

	// No context: the supervisor ends with its pipe, so that it can end its tree.
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], supervisor.Arg}, // also when the file was replaced meanwhile
		Env: supervisorEnv, Dir: "/",
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
	_, _ = controlOut.Close(), answerIn.Close() // the supervisor has its own
	if networkIn != nil {
		_ = networkIn.Close()
	}
	if err != nil {
		network.stop()
		_, _ = control.Close(), answer.Close()
		return nil, &SetupError{"start the command's supervisor", err}
	}
	k := &kept{cmd: cmd, answer: answer, control: control, cgroup: g, network: network}
	if err := supervisor.Send(control, p); err != nil {
		k.end() // wait reports why it does not listen
	}
	return k, nil
}

// attributes are what only the starting process can give the supervisor.
func attributes(p *supervisor.Plan) *syscall.SysProcAttr {
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
		// The supervisor maps its user itself: this process may be closed to others
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
		k.killGroup() // the supervisor did not
	}
	k.end()
	k.last.Stop()
	_ = k.answer.Close()
	starved := k.cgroup.starved()
	k.cgroup.remove()
	if err != nil {
		return ending{}, fmt.Errorf("the command's supervisor was ended: %w", errors.Join(waitErr, err))
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

// listen hears the supervisor out.
func (k *kept) listen() (a supervisor.Answer, err error) {
	if err := supervisor.Receive(k.answer, &a); err != nil || a.Problem != "" {
		return a, err
	}
	k.group.Store(int64(a.Group))
	return a, supervisor.Receive(k.answer, &a)
}

// killGroup ends what is left in the command's process group.
func (k *kept) killGroup() {
	if group := k.group.Load(); group > 1 {
		_ = unix.Kill(-int(group), unix.SIGKILL) // nobody left is no failure
	}
}

// end implements process: the supervisor's pipe closes, which tells it to end its
// tree; one that does not in time is ended, and with it its process table.
func (k *kept) end() {
	k.once.Do(func() {
		_ = k.control.Close() // nobody is there to hear of a failure
		k.last = time.AfterFunc(supervisorGrace, func() {
			k.killGroup()
			_ = k.cmd.Process.Kill() // it may have ended just now
		})
	})
}
