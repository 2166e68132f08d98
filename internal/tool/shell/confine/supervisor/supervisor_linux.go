package supervisor

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// problem is why the command was not started.
type problem struct {
	step string
	err  error
}

func (p *problem) Error() string { return p.step + ": " + p.err.Error() }

func (p *problem) Unwrap() error { return p.err }

// run is the whole life of a supervisor. It returns the process's exit code, which
// nobody looks at.
func run() int {
	control, out := os.NewFile(ControlFile, "control"), os.NewFile(AnswerFile, "answer")
	if control == nil || out == nil {
		return 2
	}
	syscall.CloseOnExec(ControlFile)
	syscall.CloseOnExec(AnswerFile)
	syscall.CloseOnExec(GuardFile)   // where there is one
	syscall.CloseOnExec(NetworkFile) // where there is one
	if deafen(endingSignals) != nil {
		return 2
	}
	k := &supervisor{control: control, out: out}
	if err := Receive(control, &k.plan); err != nil {
		return k.say(refused(&problem{"read the plan", err}))
	}
	return k.say(k.keep())
}

// supervisor watches over one command.
type supervisor struct {
	// control is polled by its number: it stays open for as long as it is here.
	control   *os.File
	out       *os.File
	plan      Plan
	processes processes
}

// say tells belay. When nobody listens any more, the control pipe is closed, too,
// which is what the supervisor acts on.
func (k *supervisor) say(a Answer) int {
	if Send(k.out, &a) != nil {
		return 1
	}
	return 0
}

func (k *supervisor) keep() Answer {
	if err := k.prepare(); err != nil {
		return refused(err)
	}
	launched := make(chan child, 1)
	go runOnOwnThread(func() { k.launch(launched) })
	c := <-launched
	if c.err != nil {
		return refused(c.err)
	}
	// The output ends with the command, not with its supervisor.
	_ = os.Stdout.Close()
	first := Answer{}
	if d, ok := k.processes.(descendants); ok {
		first.Group, d.group = uint64(c.pid), c.pid
		k.processes = d
	}
	k.say(first)
	k.sign()
	defer k.sign() // the last one: all processes are gone
	return k.watch(c)
}

// signTime is how often the supervisor writes that something of the command still
// runs.
const signTime = time.Second

// sign writes to the guard, which gives it the time at which it was done.
func (k *supervisor) sign() {
	if k.plan.Guarded {
		_, _ = syscall.Pwrite(GuardFile, []byte{'.'}, 0) // nobody can be told
	}
}

func refused(err error) Answer {
	if p, ok := errors.AsType[*problem](err); ok {
		return Answer{Step: p.step, Problem: p.err.Error()}
	}
	return Answer{Step: "start the command", Problem: err.Error()}
}

// FileTreeStep is the [Answer.Step] of a file tree that this machine cannot make.
const FileTreeStep = "give the command a file tree of its own"

// prepare does what concerns the whole process.
func (k *supervisor) prepare() error {
	if u := k.plan.User; u != nil {
		if err := u.enter(); err != nil {
			return &problem{"be the same user in a namespace", err}
		}
	}
	if t := k.plan.Tree; t != nil {
		if err := t.enter(); err != nil {
			return &problem{FileTreeStep, err}
		}
		k.processes = ownTable{}
	} else {
		if err := prctl(prSetChildSubreaper, 1); err != nil {
			return &problem{"become the parent of what the command leaves", err}
		}
		k.processes = descendants{of: os.Getpid()}
	}
	if k.plan.Loopback {
		if err := raiseLoopback(); err != nil {
			return &problem{"give the command a network of its own", err}
		}
	}
	if err := k.plan.passListeners(); err != nil {
		return &problem{"listen on the command's own network", err}
	}
	if err := prctl(syscall.PR_SET_DUMPABLE, 0); err != nil {
		return &problem{"close the supervisor to tracing", err}
	}
	// When memory runs out, the command goes before the server. A system that
	// does not let us say so has its own order.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("800"), 0)
	return nil
}

// enter makes the user of the machine the only one of the process's user
// namespace, under the same numbers.
func (u *User) enter() error {
	alone := func(id uint64) string {
		n := strconv.FormatUint(id, 10)
		return n + " " + n + " 1"
	}
	for _, f := range []struct{ name, text string }{
		{"setgroups", "deny"}, // the kernel asks for it before a user may map groups
		{"uid_map", alone(u.UID)},
		{"gid_map", alone(u.GID)},
	} {
		if err := os.WriteFile("/proc/self/"+f.name, []byte(f.text), 0); err != nil {
			return err
		}
	}
	return nil
}

// runOnOwnThread runs f on a thread that is not the process's first: what is
// done to the first one is done to the process in the eyes of others, and the
// command must not be in one sandbox with its supervisor.
func runOnOwnThread(f func()) {
	runtime.LockOSThread() // never unlocked: the thread is spoilt for others
	if syscall.Gettid() != os.Getpid() {
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
