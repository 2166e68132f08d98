package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// cgroupPrefix begins the names of the control groups of commands. The number of the
// process that made the group follows.
const cgroupPrefix = "belay-command-"

// cgroup is the control group of one command: it limits what all processes of the
// command use together.
type cgroup struct {
	dir    string
	folder *os.File
}

// findCgroup finds the folder in which control groups can be made that limit memory:
// the nearest above this process whose groups do that, where this user may make one.
// Nothing is changed for others: where the system gives no such folder to this user,
// there is none. Proc is where Linux reports this process.
func findCgroup(proc string) (string, error) {
	own, err := os.ReadFile(filepath.Join(proc, "cgroup"))
	if err != nil {
		return "", err
	}
	mounts, err := os.ReadFile(filepath.Join(proc, "mountinfo"))
	if err != nil {
		return "", err
	}
	top, dir := cgroupFolder(string(own), string(mounts))
	if dir == "" {
		return "", errors.New("control groups of version 2 are not mounted")
	}
	for ; within(dir, top); dir = filepath.Dir(dir) {
		enabled, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
		if err == nil && slices.Contains(strings.Fields(string(enabled)), "memory") && unix.Access(dir, unix.W_OK) == nil {
			return dir, nil
		}
		if dir == top {
			break
		}
	}
	return "", errors.New("this user has no control group in which memory can be limited")
}

// cgroupFolder is where the control groups are mounted, and the folder of this
// process's own; "" for none.
func cgroupFolder(own, mounts string) (top, dir string) {
	var path string
	for line := range strings.Lines(own) {
		if p, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			path = p
		}
	}
	for line := range strings.Lines(mounts) {
		at, kind, ok := strings.Cut(line, " - ")
		fields := strings.Fields(at)
		if !ok || len(fields) < 5 || !strings.HasPrefix(kind, "cgroup2 ") || !within(path, fields[3]) {
			continue
		}
		return fields[4], filepath.Join(fields[4], strings.TrimPrefix(path, fields[3]))
	}
	return "", ""
}

// makeCgroup makes the control group of a command in a folder. Those of commands
// whose belay died are removed.
func makeCgroup(parent string, l Limits) (_ *cgroup, err error) {
	sweepCgroups(parent)
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s%d-*", cgroupPrefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	g := &cgroup{dir: dir}
	defer func() {
		if err != nil {
			g.remove()
		}
	}()
	for _, limit := range []struct {
		file  string
		most  int64
		maybe bool // not every system has it
	}{
		{"memory.max", l.MemoryBytes, false},
		{"memory.swap.max", 0, true},
		{"pids.max", int64(threadsPerProcess * l.Processes), true},
	} {
		err := os.WriteFile(filepath.Join(dir, limit.file), strconv.AppendInt(nil, limit.most, 10), 0o600)
		if err != nil && !(limit.maybe && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission))) {
			return nil, err
		}
	}
	g.folder, err = os.Open(dir)
	return g, err
}

// remove removes the group of a command of which nothing runs any more. One that
// cannot be removed now goes with a later command of another process.
func (g *cgroup) remove() {
	if g == nil {
		return
	}
	if g.folder != nil {
		_ = g.folder.Close() // it was only opened to name the group
	}
	_ = unix.Rmdir(g.dir)
}

// starved reports whether the system ended a process of the command because all of
// them together had no memory left.
func (g *cgroup) starved() bool {
	if g == nil {
		return false
	}
	events, err := os.ReadFile(filepath.Join(g.dir, "memory.events"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(events)) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok {
			return n != "0"
		}
	}
	return false
}

// sweepCgroups removes the groups of processes that died. One in which something
// still runs stays: the system refuses to remove it.
func sweepCgroups(parent string) {
	groups, err := fs.Glob(os.DirFS(parent), cgroupPrefix+"*")
	if err != nil {
		return
	}
	for _, name := range groups {
		maker, _, _ := strings.Cut(strings.TrimPrefix(name, cgroupPrefix), "-")
		if pid, err := strconv.Atoi(maker); err == nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			_ = unix.Rmdir(filepath.Join(parent, name))
		}
	}
}
