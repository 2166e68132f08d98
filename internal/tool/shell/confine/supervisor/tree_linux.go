package supervisor

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// processes is the processes of a command.
type processes interface {
	count() int
	// kill sends all of them SIGKILL. New ones may have appeared meanwhile, so it
	// is called until none is left to wait for.
	kill()
}

// ownTable is all processes of a process table whose first the supervisor is.
type ownTable struct{}

func (ownTable) count() int { return len(listProcesses()) - 1 }

func (ownTable) kill() { _ = syscall.Kill(-1, syscall.SIGKILL) } // nobody left is no failure

// descendants are the processes below one. What loses its parent is handed to
// the nearest reaper above, so that all stay below. Most are in one process
// group, the command's.
type descendants struct{ of, group int }

func (d descendants) count() int {
	if !hasChildren() { // and so none below them
		return 0
	}
	return len(d.list())
}

// kill ends the group first: the kernel does that in one step, and a command that
// multiplies outruns anybody who looks for its processes one by one. Those that
// left the group are all stopped before the first is killed, until a look finds
// no new one.
func (d descendants) kill() {
	if d.group > 0 {
		_ = syscall.Kill(-d.group, syscall.SIGKILL) // nobody left is no failure
	}
	if !hasChildren() {
		return
	}
	stopped := map[int]bool{}
	for found := true; found; {
		found = false
		for _, pid := range d.list() {
			if !stopped[pid] {
				stopped[pid], found = true, true
				_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended by itself
			}
		}
	}
	for pid := range stopped {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// hasChildren reports whether there is a child to wait for, without doing so.
func hasChildren() bool {
	var info [128]byte // the kernel's siginfo
	_, _, e := syscall.Syscall6(syscall.SYS_WAITID, waitAny, 0, uintptr(unsafe.Pointer(&info)), syscall.WEXITED|syscall.WNOHANG|syscall.WNOWAIT, 0, 0)
	return !errors.Is(e, syscall.ECHILD)
}

func (d descendants) list() []int {
	children := map[int][]int{}
	for _, pid := range listProcesses() {
		if parent, running := parentOf(pid); running {
			children[parent] = append(children[parent], pid)
		}
	}
	var all []int
	for next := []int{d.of}; len(next) > 0; {
		below := children[next[0]]
		delete(children, next[0])
		next = append(next[1:], below...)
		all = append(all, below...)
	}
	return all
}

// listProcesses lists the process table. An unreadable one is empty.
func listProcesses() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = proc.Close() }()
	names, _ := proc.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parentOf reads a process's parent; running is false when it has ended.
func parentOf(pid int) (parent int, running bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	return parseStat(stat)
}

// parseStat takes apart what the process table says of a process. The name, in
// parentheses, may hold anything; after it come state and parent.
func parseStat(stat []byte) (parent int, running bool) {
	i := len(stat) - 1
	for i >= 0 && stat[i] != ')' {
		i--
	}
	if i < 0 || len(stat) < i+5 {
		return 0, false
	}
	state, digits := stat[i+2], stat[i+4:]
	n := 0
	for n < len(digits) && '0' <= digits[n] && digits[n] <= '9' {
		n++
	}
	parent, err := strconv.Atoi(string(digits[:n]))
	return parent, err == nil && state != 'Z' && state != 'X'
}
