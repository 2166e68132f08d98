package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// start starts a keeper for the command.
func (r *Runner) start(c Command, out *os.File) (process, error) {
	p, err := r.plan(c, r.found())
	if err != nil {
		return nil, err
	}
	return startKeeper(p, out)
}

// keeperEnv is all that a keeper needs: one processor, because it mostly waits,
// and no sleep at its end where it was built to find races.
var keeperEnv = []string{"GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0"}

// kept is a command in its keeper's hands.
type kept struct {
	cmd     *exec.Cmd
	answer  *os.File
	control *os.File
	// group is the command's process group, once it is known and where it is not
	// enough to end the keeper.
	group atomic.Int64
	once  sync.Once
	last  *time.Timer
}

// keeperGrace is how long a keeper may take to end its tree before it is ended
// itself.
const keeperGrace = 5 * time.Second

func startKeeper(p plan, out *os.File) (process, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, &SetupError{"write the plan", err}
	}
	controlOut, control, err := os.Pipe()
	if err != nil {
		return nil, &SetupError{"open a pipe", err}
	}
	defer func() { _ = controlOut.Close() }()
	answer, answerIn, err := os.Pipe()
	if err != nil {
		_ = control.Close()
		return nil, &SetupError{"open a pipe", err}
	}
	defer func() { _ = answerIn.Close() }()

	// No context: the keeper ends with its pipe, so that it can end its tree.
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], keeperArg}, // also when the file was replaced meanwhile
		Env: keeperEnv, Dir: "/",
		Stdout: out, ExtraFiles: []*os.File{controlOut, answerIn},
		SysProcAttr: p.attributes(),
	}
	if err := cmd.Start(); err != nil {
		_, _ = control.Close(), answer.Close()
		return nil, &SetupError{"start the command's keeper", err}
	}
	k := &kept{cmd: cmd, answer: answer, control: control}
	if _, err := control.Write(text); err != nil {
		k.end() // wait tells why it does not listen
	}
	return k, nil
}

// attributes are what only the starting process can give the keeper.
func (p plan) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if !p.Namespaces {
		return a
	}
	a.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC
	if p.OwnNetwork {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	if p.User != nil {
		// The keeper maps its user itself: this process may be closed to others
		// ([Harden]), and so is then its child's map, until the child is a program
		// of its own.
		a.Cloneflags |= unix.CLONE_NEWUSER
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	}
	return a
}

// wait implements process.
func (k *kept) wait() (ending, error) {
	a, err := k.listen()
	waitErr := k.cmd.Wait()
	if err != nil {
		k.killGroup() // the keeper did not
	}
	k.end()
	k.last.Stop()
	_ = k.answer.Close()
	if err != nil {
		return ending{}, fmt.Errorf("the command's keeper was ended: %w", errors.Join(waitErr, err))
	}
	if a.Problem != "" {
		return ending{}, &SetupError{a.Step, errors.New(a.Problem)}
	}
	return a.ending, nil
}

// listen hears the keeper out. A keeper whose command was not started says only
// the second of its messages.
func (k *kept) listen() (a answer, err error) {
	d := json.NewDecoder(io.LimitReader(k.answer, maxAnswerBytes))
	var first struct {
		started
		answer
	}
	if err := d.Decode(&first); err != nil || first.Problem != "" {
		return first.answer, err
	}
	k.group.Store(int64(first.Group))
	return a, d.Decode(&a)
}

const maxAnswerBytes = 64 << 10

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
