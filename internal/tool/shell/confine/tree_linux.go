package confine

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// tree is the processes of a command.
type tree interface {
	count() int
	// kill sends all of them SIGKILL. New ones may have appeared meanwhile, so it
	// is called until none is left to wait for.
	kill()
}

// ownTable is all processes of a process table whose first the keeper is.
type ownTable struct{}

func (ownTable) count() int { return len(processes()) - 1 }

func (ownTable) kill() { _ = unix.Kill(-1, unix.SIGKILL) } // nobody left is no failure

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
		_ = unix.Kill(-d.group, unix.SIGKILL) // nobody left is no failure
	}
	stopped := map[int]bool{}
	for found := true; found; {
		found = false
		for _, pid := range d.list() {
			if !stopped[pid] {
				stopped[pid], found = true, true
				_ = unix.Kill(pid, unix.SIGSTOP) // it may have ended by itself
			}
		}
	}
	for pid := range stopped {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// hasChildren reports whether there is a child to wait for, without doing so.
func hasChildren() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return !errors.Is(err, unix.ECHILD)
}

func (d descendants) list() []int {
	children := map[int][]int{}
	for _, pid := range processes() {
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

// processes lists the process table. An unreadable one is empty.
func processes() []int {
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
	// The name in parentheses may hold anything; after it come state and parent.
	_, rest, _ := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, err == nil && fields[0] != "Z" && fields[0] != "X"
}

// threadsOf counts the threads of a user, which is what the limit on processes
// counts.
func threadsOf(uid int) int {
	n := 0
	for _, pid := range processes() {
		dir := "/proc/" + strconv.Itoa(pid)
		var stat unix.Stat_t
		if unix.Stat(dir, &stat) != nil || int(stat.Uid) != uid {
			continue
		}
		if tasks, err := os.ReadDir(dir + "/task"); err == nil {
			n += len(tasks)
		}
	}
	return n
}
