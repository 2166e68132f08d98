package supervisor

import (
	"errors"
	"syscall"
	"time"
)

// child is the command as it was started.
type child struct {
	pid int
	// file is readable when it has ended, -1 where the kernel has no such files.
	file int
	err  error
}

// launch puts its thread into the sandbox and starts the command from it. The
// thread stays for as long as the supervisor does: the command's death is tied to
// it.
func (k *supervisor) launch(launched chan<- child) {
	if err := k.plan.enterSandbox(); err != nil {
		launched <- child{err: err}
		return
	}
	c := child{file: -1}
	attr := &syscall.ProcAttr{
		Dir: k.plan.Dir, Env: k.plan.Env, Files: []uintptr{0, 1, 1},
		Sys: &syscall.SysProcAttr{Setsid: k.plan.Tree == nil, Setpgid: k.plan.Tree != nil, Pdeathsig: syscall.SIGKILL, PidFD: &c.file},
	}
	// Programs that start others the way of the C library, make among them, leave
	// them with these ignored.
	_, _ = meet(foreignSignals, byDefault), unblock() // neither fails for signals that there are
	var err error
	if c.pid, err = syscall.ForkExec(k.plan.Shell, []string{k.plan.Shell, "-c", k.plan.Command}, attr); err != nil {
		launched <- child{err: &problem{"start the shell", err}}
		return
	}
	launched <- c
	select {}
}

// crowdPoll is how often the command's processes are counted, and those reaped
// that were left to the supervisor.
const crowdPoll = 20 * time.Millisecond

// watch waits for the command and ends what it leaves. It is also over when belay
// closes the control pipe, or dies, or when there are too many processes. It is
// one thread that waits for all of that: handing over to another one takes longer
// than many a command.
func (k *supervisor) watch(c child) Answer {
	files := []pollFile{
		{fd: ControlFile, events: pollInput}, {fd: int32(c.file), events: pollInput}, {fd: -1, events: pollInput}, // -1 is left out
	}
	if k.plan.Inside {
		files[2].fd = NetworkFile
	}
	count := time.Now().Add(crowdPoll)
	signed := time.Now()
	for {
		if poll(files, max(int64(time.Until(count)), 0)) != nil {
			return k.stop(c.pid)
		}
		if ended, over := reap(c.pid); over {
			ended.Left = uint64(k.processes.count())
			k.end()
			return ended
		}
		if files[0].revents != 0 { // nothing follows the plan: it is closed
			return k.stop(c.pid)
		}
		if files[2].revents != 0 && !answerRequest(c.pid) {
			files[2].fd = -1
		}
		if now := time.Now(); now.After(count) {
			count = now.Add(crowdPoll)
			if now.Sub(signed) > signTime {
				signed = now
				k.sign()
			}
			if uint64(k.processes.count()) > k.plan.Processes {
				a := k.stop(c.pid)
				a.Crowded = true
				return a
			}
		}
	}
}

// stop ends the command before it has ended itself.
func (k *supervisor) stop(pid int) Answer {
	k.processes.kill()
	a := await(pid)
	k.end()
	return a
}

// failed is the exit code of a command whose end is unknown.
const failed = 255

// end ends all processes and waits until the last is gone.
func (k *supervisor) end() {
	for {
		k.processes.kill()
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		for err == nil && pid > 0 { // and any other that has ended
			pid, err = syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		}
		if errors.Is(err, syscall.ECHILD) {
			return
		}
	}
}

// reap reaps the children that have ended. Over is set where pid is among them.
func reap(pid int) (a Answer, over bool) {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil || got <= 0:
			return a, over
		case got == pid:
			a, over = ending(status), true
		}
	}
}

// await waits until pid has ended.
func await(pid int) Answer {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return Answer{ExitCode: failed}
		case got == pid:
			return ending(status)
		}
	}
}

func ending(status syscall.WaitStatus) Answer {
	if status.Signaled() {
		return Answer{ExitCode: 128 + uint64(status.Signal()), Signal: uint64(status.Signal())}
	}
	return Answer{ExitCode: uint64(status.ExitStatus())}
}
