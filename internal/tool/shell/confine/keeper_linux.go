package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keeperArg is the first argument of the keeper. It is no command of belay's: it
// does nothing without the two pipes that only [Runner.Run] opens.
const keeperArg = "__confine"

// The keeper's files beside the standard ones. The plan comes in through the
// first, which stays open for as long as belay lives and wants the command; the
// answer goes out through the second.
const (
	controlFile = 3
	answerFile  = 4
)

// started is what the keeper says first: the command's process group, 0 where it
// has a process table of its own.
type started struct {
	Group int `json:"group"`
}

// answer is what the keeper says at the end.
type answer struct {
	ending
	// Step and Problem tell why the command was not started.
	Step    string `json:"step,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// Sandboxed runs the keeper when args, the program's arguments without its name,
// ask for it; ok says whether they do. The program must call it before anything
// else and exit with the code.
func Sandboxed(args []string) (code int, ok bool) {
	if len(args) != 1 || args[0] != keeperArg {
		return 0, false
	}
	control, out := os.NewFile(controlFile, "control"), os.NewFile(answerFile, "answer")
	if control == nil || out == nil {
		return 2, true
	}
	unix.CloseOnExec(controlFile)
	unix.CloseOnExec(answerFile)
	// Signals of the command are not for its keeper. They are caught, not
	// ignored, because a program inherits what is ignored.
	signal.Notify(make(chan os.Signal, 1))
	k := &keeper{control: control, out: json.NewEncoder(out)}
	if err := k.out.Encode(k.keep()); err != nil {
		return 1, true
	}
	return 0, true
}

// keeper watches over one command.
type keeper struct {
	control *os.File
	out     *json.Encoder
	plan    plan
	tree    tree
}

func (k *keeper) keep() answer {
	if err := json.NewDecoder(io.LimitReader(k.control, maxPlanBytes)).Decode(&k.plan); err != nil {
		return answer{Step: "read the plan", Problem: err.Error()}
	}
	if err := k.prepare(); err != nil {
		return refused(err)
	}
	launched := make(chan startResult, 1)
	go runOnOwnThread(func() { k.launch(launched) })
	s := <-launched
	if s.err != nil {
		return refused(s.err)
	}
	first := started{}
	if d, ok := k.tree.(descendants); ok {
		first.Group, d.group = s.pid, s.pid
		k.tree = d
	}
	// When nobody listens any more, the control pipe is closed, too.
	_ = k.out.Encode(first)
	gone := make(chan struct{})
	go func() {
		// Nothing follows the plan: the read ends when belay closes the pipe, or
		// dies.
		_, _ = k.control.Read(make([]byte, 1))
		close(gone)
	}()
	return answer{ending: k.watch(s.pid, gone)}
}

const maxPlanBytes = 4 << 20

func refused(err error) answer {
	var setup *SetupError
	if errors.As(err, &setup) {
		return answer{Step: setup.Step, Problem: setup.Err.Error()}
	}
	return answer{Step: "start the command", Problem: err.Error()}
}

// prepare does what concerns the whole process.
func (k *keeper) prepare() error {
	if u := k.plan.User; u != nil {
		if err := u.enter(); err != nil {
			return &SetupError{"be the same user in a namespace", err}
		}
	}
	if k.plan.Namespaces {
		if err := k.plan.enterTree(); err != nil {
			return &SetupError{"give the command a file tree of its own", err}
		}
		if k.plan.OwnNetwork {
			if err := raiseLoopback(); err != nil {
				return &SetupError{"give the command a network of its own", err}
			}
		}
		k.tree = ownTable{}
	} else {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return &SetupError{"become the parent of what the command leaves", err}
		}
		k.tree = descendants{of: os.Getpid()}
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return &SetupError{"close the keeper to tracing", err}
	}
	// When memory runs out, the command goes before the server. A system that
	// does not let us say so has its own order.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("800"), 0)
	return nil
}

// enter makes the user of the machine the only one of the process's user
// namespace, under the same numbers.
func (u user) enter() error {
	for _, f := range []struct{ name, text string }{
		{"setgroups", "deny"}, // the kernel asks for it before a user may map groups
		{"uid_map", fmt.Sprintf("%d %d 1", u.UID, u.UID)},
		{"gid_map", fmt.Sprintf("%d %d 1", u.GID, u.GID)},
	} {
		if err := os.WriteFile("/proc/self/"+f.name, []byte(f.text), 0); err != nil {
			return err
		}
	}
	return nil
}

type startResult struct {
	pid int
	err error
}

// launch puts its thread into the cage and starts the command from it. The
// thread stays for as long as the keeper does: the command's death is tied to
// it.
func (k *keeper) launch(launched chan<- startResult) {
	if err := k.plan.encage(); err != nil {
		launched <- startResult{err: err}
		return
	}
	attr := &syscall.ProcAttr{
		Dir: k.plan.Dir, Env: k.plan.Env, Files: []uintptr{0, 1, 1},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	pid, err := syscall.ForkExec(k.plan.Shell, []string{k.plan.Shell, "-c", k.plan.Command}, attr)
	if err != nil {
		err = &SetupError{"start the shell", err}
	}
	launched <- startResult{pid, err}
	if err == nil {
		select {}
	}
}

// crowdPoll is how often the command's processes are counted.
const crowdPoll = 20 * time.Millisecond

// watch waits for the command and ends what it leaves. It is also over when gone
// is closed, or when there are too many processes.
func (k *keeper) watch(pid int, gone <-chan struct{}) ending {
	over := make(chan ending, 1)
	go func() { over <- reapUntil(pid) }()
	count := time.NewTicker(crowdPoll)
	defer count.Stop()
	var e ending
	for waiting := true; waiting; {
		select {
		case e = <-over:
			e.Left = k.tree.count()
			waiting = false
		case <-gone:
			k.tree.kill()
			<-over
			waiting = false
		case <-count.C:
			if k.tree.count() > k.plan.Limits.Processes {
				k.tree.kill()
				e = <-over
				e.Crowded, waiting = true, false
			}
		}
	}
	k.clear()
	return e
}

// clear ends all processes and waits until the last is gone.
func (k *keeper) clear() {
	for {
		k.tree.kill()
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		for err == nil && pid > 0 { // and whoever else has ended
			pid, err = unix.Wait4(-1, &status, unix.WNOHANG, nil)
		}
		if errors.Is(err, unix.ECHILD) {
			return
		}
	}
}

// reapUntil reaps the children that end, until pid has.
func reapUntil(pid int) ending {
	for {
		var status unix.WaitStatus
		got, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return ending{ExitCode: -1}
		case got == pid && status.Exited():
			return ending{ExitCode: status.ExitStatus()}
		case got == pid && status.Signaled():
			return ending{ExitCode: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
		}
	}
}

// runOnOwnThread runs f on a thread that is not the process's first: what is
// done to the first one is done to the process in the eyes of others, and the
// command must not be in one cage with its keeper.
func runOnOwnThread(f func()) {
	runtime.LockOSThread() // never unlocked: the thread is spoilt for others
	if unix.Gettid() != os.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runOnOwnThread(f)
	}()
	<-done
}
