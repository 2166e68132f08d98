package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"belay/internal/tool/shell/confine/supervisor"
)

// grants are what a command may reach, by real path.
type grants struct {
	read, write []string
	// masked are folders and files in them that the command finds empty, links
	// are the links of the root folder.
	masked []string
	links  []supervisor.Link
	// overlay is on the first folder of write, nil where that is changed itself.
	overlay *supervisor.Overlay
}

// network is what a command may do with sockets.
type network struct {
	// limitTCP makes connect and listen the only TCP ports; none takes all but
	// Unix sockets away, noUnix takes Unix sockets by path away.
	limitTCP, none, noUnix bool
	connect, listen        []uint16
}

// plan settles how a command runs on a machine with that report.
func (r *Runner) plan(c Command, found Report) (*supervisor.Plan, error) {
	sh, err := shell()
	if err != nil {
		return nil, &SetupError{"find a shell", err}
	}
	p := &supervisor.Plan{
		Shell: sh, Command: c.Text, Dir: c.Dir,
		Env:    r.environment(c),
		Limits: r.o.Limits.resources(found.Namespaces), Processes: uint64(r.o.Limits.Processes),
	}
	if r.o.Off {
		return p, nil
	}
	g, err := r.o.grants(c, found.Namespaces, r.etc())
	if err != nil {
		return nil, &SetupError{"decide what the command may reach", err}
	}
	n := network{noUnix: !found.Namespaces && found.Landlock < landlockUnix}
	switch r.o.Network {
	case NetworkNone, NetworkAsk:
		n.none, p.Loopback = !found.Namespaces, found.Namespaces
		if p.Loopback {
			if r.hasProxy(c) {
				p.Env = proxied(p.Env)
			}
			for _, port := range r.served(c) {
				p.Ports = append(p.Ports, uint64(port.Number))
			}
			p.Inside = c.Inside != nil
		}
	case NetworkPorts:
		n.limitTCP, n.connect, n.listen = true, r.o.connectPorts(), r.o.ListenPorts
	}
	if found.Namespaces {
		p.Tree = g.tree(c)
		if uid := os.Geteuid(); uid != 0 {
			p.User = &supervisor.User{UID: uint64(uid), GID: uint64(os.Getegid())}
		}
	}
	if found.Landlock > 0 {
		p.Landlock = g.ruleset(found.Landlock, n, found.Namespaces)
	}
	if found.Filter {
		var denied []uint32
		if c.ReadOnly && !found.Namespaces {
			denied = metadataCalls // Landlock does not look at them
		}
		p.Filter = n.filter(denied...)
	}
	return p, nil
}

func (r *Runner) hasProxy(c Command) bool { return r.o.Network == NetworkAsk && c.Proxy != nil }

// served are the ports of the command's own network on which belay listens.
func (r *Runner) served(c Command) []Port {
	if r.hasProxy(c) {
		return append([]Port{{ProxyPort, c.Proxy}}, c.Ports...)
	}
	return c.Ports
}

// resources are the limits of the kernel's that a command runs under.
func (l Limits) resources(ownTable bool) []supervisor.Limit {
	limits := []supervisor.Limit{
		{Resource: unix.RLIMIT_CORE, Most: 0},
		{Resource: unix.RLIMIT_NOFILE, Most: uint64(l.Files)},
		{Resource: unix.RLIMIT_FSIZE, Most: uint64(l.FileBytes)},
		{Resource: unix.RLIMIT_DATA, Most: uint64(l.MemoryBytes)},
	}
	if uid := os.Geteuid(); uid != 0 { // root has no such limit
		// It counts threads, and without namespaces all of the user's. It is the
		// second line: processes are counted by the supervisor, which needs threads
		// itself.
		most := threadsPerProcess * l.Processes
		if !ownTable {
			most += threadsOf(uid)
		}
		limits = append(limits, supervisor.Limit{Resource: unix.RLIMIT_NPROC, Most: uint64(most)})
	}
	return limits
}

// threadsPerProcess is how many threads a process may have on the average.
const threadsPerProcess = 4

const fileTreeStep = supervisor.FileTreeStep

// threadsOf counts the threads of a user, which is what the limit on processes
// counts.
func threadsOf(uid int) int {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	n := 0
	for _, e := range all {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		dir := filepath.Join("/proc", e.Name())
		var stat unix.Stat_t
		if unix.Stat(dir, &stat) != nil || int(stat.Uid) != uid {
			continue
		}
		if tasks, err := os.ReadDir(filepath.Join(dir, "task")); err == nil {
			n += len(tasks)
		}
	}
	return n
}

// connectPorts are those that may be connected to now.
func (o Options) connectPorts() []uint16 {
	if o.ServerPorts == nil {
		return o.ConnectPorts
	}
	never := o.ServerPorts()
	return slices.DeleteFunc(slices.Clone(o.ConnectPorts), func(p uint16) bool { return slices.Contains(never, p) })
}
