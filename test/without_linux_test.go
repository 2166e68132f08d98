package test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// withoutEnv names what a machine does not have: the test program then runs the program
// of its arguments there.
const withoutEnv = "BELAY_TEST_WITHOUT"

// What machines do not have.
const (
	withoutNothing    = ""                    // commands work on an overlay
	withoutNamespaces = "namespaces"          // Landlock and the filter alone
	withoutAll        = "namespaces Landlock" // every command is asked about
)

// without makes a program run where something is missing, as on a host that forbids it.
// Self is the test program.
func without(cmd *exec.Cmd, missing, self string) {
	if missing == withoutNothing {
		return
	}
	cmd.Args = append([]string{self, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = self
	cmd.Env = append(cmd.Env, withoutEnv+"="+missing)
}

// runWithout becomes another program, for which system calls fail as they do where
// something is missing.
func runWithout(missing string, argv []string) error {
	var code []unix.SockFilter
	load := func(offset uint32) {
		code = append(code, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
	}
	refuse := func(errno unix.Errno) {
		code = append(code, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)})
	}
	const (
		number       = 0
		flags        = 16
		newNamespace = unix.CLONE_NEWNS | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	)
	load(number)
	if strings.Contains(missing, "namespaces") {
		for _, call := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
			code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ, K: call, Jf: 4})
			load(flags)
			code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET, K: newNamespace, Jf: 1})
			refuse(unix.EPERM)
			load(number)
		}
		code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ, K: unix.SYS_CLONE3, Jf: 1})
		refuse(unix.ENOSYS)
	}
	if strings.Contains(missing, "Landlock") {
		code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jf: 1})
		refuse(unix.ENOSYS)
	}
	code = append(code, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	runtime.LockOSThread() // the filter is the thread's, which becomes the program
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return err
	}
	if err := os.Unsetenv(withoutEnv); err != nil {
		return err
	}
	return syscall.Exec(argv[0], argv, os.Environ())
}

// asWithout is the part of a test program that runs another where something is missing.
func asWithout() (is bool) {
	missing := os.Getenv(withoutEnv)
	if missing == "" {
		return false
	}
	_, _ = fmt.Fprintln(os.Stderr, "without", missing+":", runWithout(missing, os.Args[1:]))
	return true
}
