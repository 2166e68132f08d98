package test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// steppedEnv makes the test binary a program that runs another one, its arguments, and
// kills it just before its call of that number that changes a file or a folder.
const steppedEnv = "BELAY_TEST_KILL_AT"

// steppedKilled is what it exits with where the other one came that far; else it exits
// as the other one did.
const steppedKilled = 100

// asProgram does what the test binary is for other than testing.
func asProgram() (code int, is bool) {
	if asWithout() {
		return 1, true
	}
	at, err := strconv.Atoi(os.Getenv(steppedEnv))
	if err != nil {
		return 0, false
	}
	code, err = killAt(at, os.Args[1:])
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "stepped:", err)
		return 1, true
	}
	return code, true
}

// killAt runs a program and kills it before the call of that number. It is alone in
// its process, whose children it waits for.
func killAt(at int, argv []string) (code int, err error) {
	runtime.LockOSThread() // a thread is traced by the one that began it
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Ptrace: true}})
	if err != nil {
		return 0, err
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return 0, err
	}
	if err := syscall.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL|unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE); err != nil {
		return 0, err
	}
	stopped := pid
	for calls := 0; ; {
		signal := 0
		switch {
		case !status.Stopped():
		case status.StopSignal() == syscall.SIGTRAP|0x80:
			if isChange(stopped) {
				calls++
			}
			if calls == at {
				return steppedKilled, killAll(pid)
			}
		case status.StopSignal() != syscall.SIGTRAP && status.StopSignal() != syscall.SIGSTOP:
			signal = int(status.StopSignal())
		}
		if status.Stopped() {
			_ = syscall.PtraceSyscall(stopped, signal) // a thread that is gone needs nothing
		}
		if stopped, err = syscall.Wait4(-1, &status, syscall.WALL, nil); err != nil {
			return 0, err
		}
		if stopped == pid && status.Exited() {
			return status.ExitStatus(), nil
		}
		if stopped == pid && status.Signaled() {
			return 0, fmt.Errorf("the program was killed: %v", status.Signal())
		}
	}
}

// killAll kills a program and waits until none of its threads runs any more.
func killAll(pid int) error {
	err := syscall.Kill(pid, syscall.SIGKILL)
	for err == nil {
		var status syscall.WaitStatus
		var gone int
		if gone, err = syscall.Wait4(-1, &status, syscall.WALL, nil); gone == pid && status.Signaled() {
			return nil
		}
	}
	return err
}

// called is the kernel's struct ptrace_syscall_info of a call that begins.
type called struct {
	op        uint8
	_         [3]uint8
	arch      uint32
	_         [2]uint64
	number    uint64
	arguments [6]uint64
	_         [2]uint64
}

// isChange reports whether a thread stopped at the beginning of a call that changes
// files or folders.
func isChange(thread int) bool {
	const request, entry = 0x420e, 1
	var c called
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PTRACE, request, uintptr(thread), unsafe.Sizeof(c), uintptr(unsafe.Pointer(&c)), 0, 0); e != 0 || c.op != entry {
		return false
	}
	switch c.number {
	case unix.SYS_OPENAT:
		return c.arguments[2]&(unix.O_CREAT|unix.O_TRUNC) != 0
	case unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV:
		// Not what a program's runtime tells itself through a pipe.
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, c.arguments[0]))
		return err == nil && filepath.IsAbs(name)
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_COPY_FILE_RANGE, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
		unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT:
		return true
	}
	// rename, mkdir, rmdir, link, unlink and chmod, which only the oldest have.
	return runtime.GOARCH == "amd64" && (c.number >= 82 && c.number <= 84 || c.number == 86 || c.number == 87 || c.number == 90)
}

// stepped is a belay process of the place that is killed at a step.
func (p *place) stepped(t *testing.T, at int, args ...string) *exec.Cmd {
	t.Helper()
	program, err := belay()
	must(t, err)
	self, err := os.Executable()
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, append([]string{program}, args...)...) //nolint:gosec // the test itself
	cmd.Env, cmd.Dir = append(p.env[:len(p.env):len(p.env)], steppedEnv+"="+strconv.Itoa(at)), p.project
	return cmd
}
