package supervisor

import (
	"syscall"
	"unsafe"
)

// endingSignals are those that end a Go program that does nothing about them:
// documentation of package os/signal. Those that stop one do nothing to the first of a
// process table, and elsewhere nothing where there is no terminal and nobody above in
// the session.
var endingSignals = []syscall.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT,
	syscall.SIGSTKFLT, syscall.SIGSYS, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV,
}

// foreignSignals are those that Go leaves to libraries in C. The supervisor does not
// ignore them: what a process ignores, the programs that it starts ignore too, and
// Go gives these no meaning back. No program sends them by mistake.
var foreignSignals = []syscall.Signal{32, 33, 34}

// What a process does about a signal that it does not handle.
const (
	byDefault = 0 // SIG_DFL
	ignoring  = 1 // SIG_IGN
)

// deafen has this process ignore signals: those that the command sends are not
// for its supervisor. It goes past package os/signal, which takes longer for them
// than many a command, and past the runtime, which so still takes endingSignals
// for its own and gives them back their meaning in the programs that it starts.
// Others would stay ignored in those.
func deafen(signals []syscall.Signal) error { return meet(signals, ignoring) }

// meet sets what this process does about signals.
func meet(signals []syscall.Signal, how uintptr) error {
	action := struct {
		handler uintptr
		_       [3]uint64 // flags, restorer, mask
	}{handler: how}
	const maskBytes = 8
	for _, s := range signals {
		_, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&action)), 0, maskBytes, 0, 0)
		if e != 0 {
			return e
		}
	}
	return nil
}

// unblock has the calling thread, and what it starts, take all signals: Go keeps
// the mask that belay was started with.
func unblock() error {
	var none uint64
	const setMask = 2 // SIG_SETMASK
	_, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&none)), 0, unsafe.Sizeof(none), 0, 0)
	return errnoErr(e)
}
