package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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

// systemPaths are what programs need to run, where it is there. Links among
// them stay links.
var systemPaths = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
	"/nix", "/gnu", "/run/current-system", "/snap",
	"/sys/devices/system/cpu",
}

// devices are the harmless ones.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

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

// tree is a file tree of what is granted.
func (g grants) tree(c Command) *supervisor.Tree {
	write := g.write
	if g.overlay != nil {
		write = write[1:]
	}
	t := &supervisor.Tree{
		Write: write, Overlay: g.overlay, Masked: g.masked, Links: g.links, Devices: devices,
		Temp: filepath.Join(c.Scratch, tmpDir),
	}
	slices.Sort(g.read) // a folder before what is granted in it
	for _, path := range g.read {
		if !slices.ContainsFunc(t.Read, func(above string) bool { return within(path, above) }) {
			t.Read = append(t.Read, path)
		}
	}
	return t
}

// connectPorts are those that may be connected to now.
func (o Options) connectPorts() []uint16 {
	if o.ServerPorts == nil {
		return o.ConnectPorts
	}
	never := o.ServerPorts()
	return slices.DeleteFunc(slices.Clone(o.ConnectPorts), func(p uint16) bool { return slices.Contains(never, p) })
}

// grants decides what a command may reach. It fails where something hidden would
// be granted and cannot be masked, which it can in a tree of its own.
func (o Options) grants(c Command, ownTree bool, parts etcParts) (grants, error) {
	var g grants
	for _, path := range systemPaths {
		if target, err := os.Readlink(path); err == nil {
			g.links = append(g.links, supervisor.Link{Path: path, Target: target})
			continue
		}
		if _, err := os.Stat(path); err == nil {
			g.read = append(g.read, path)
		}
	}
	g.addEtc(ownTree, parts)
	for _, path := range o.ReadPaths {
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // a toolchain that is not installed
		}
		if err != nil {
			return g, err
		}
		g.read = append(g.read, real)
	}
	for _, path := range []string{c.Project, c.Scratch} {
		real, err := filepath.EvalSymlinks(path)
		switch {
		case err != nil:
			return g, err
		case path == c.Project && c.ReadOnly:
			g.read = append(g.read, real)
		default:
			g.write = append(g.write, real)
		}
	}
	if ownTree && c.Upper != "" {
		g.overlay = &supervisor.Overlay{Folder: g.write[0], Upper: c.Upper, Work: c.Work}
	}
	if ownTree {
		g.masked = append(g.masked, existing(c.Masked)...)
	}
	return g, g.hide(o.Hidden, ownTree)
}

// addEtc grants the system's configuration. To root, every file in it is open:
// what is not meant for everybody is left out.
func (g *grants) addEtc(ownTree bool, parts etcParts) {
	if target, err := filepath.EvalSymlinks(etc + "/resolv.conf"); err == nil && !within(target, etc) {
		g.read = append(g.read, target)
	}
	if ownTree {
		g.read, g.masked = append(g.read, etc), append(g.masked, parts.private...)
		return
	}
	g.read = append(g.read, parts.public...)
}

const etc = "/etc"

// etcParts are the parts of the system's configuration.
type etcParts struct{ public, private []string }

func findEtcParts() etcParts {
	if os.Geteuid() != 0 {
		return etcParts{public: []string{etc}}
	}
	public, private := publicParts(etc)
	return etcParts{public, private}
}

// hide masks what is hidden, or fails where that cannot be done.
func (g *grants) hide(hidden []string, ownTree bool) error {
	for _, path := range hidden {
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, granted := range slices.Concat(g.read, g.write) {
			switch {
			case within(granted, real):
				return fmt.Errorf("%s lies in %s, which no command may reach", granted, real)
			case within(real, granted) && !ownTree:
				return fmt.Errorf("%s holds %s, which no command may reach", granted, real)
			case within(real, granted):
				g.masked = append(g.masked, real)
			}
		}
	}
	return nil
}

// within reports whether path is dir or is in it. Both are clean.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

func existing(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		_, err := os.Lstat(p)
		return err != nil
	})
}

// publicParts takes a folder apart into the largest parts that everybody may
// read, and what nobody else may.
func publicParts(dir string) (public, private []string) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, nil
	}
	mode := info.Mode()
	switch {
	case mode.IsRegular() && mode&0o004 != 0, mode.Type() == os.ModeSymlink:
		return []string{dir}, nil
	case !mode.IsDir() || mode&0o005 != 0o005:
		return nil, []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, []string{dir}
	}
	for _, e := range entries {
		pub, priv := publicParts(filepath.Join(dir, e.Name()))
		public, private = append(public, pub...), append(private, priv...)
	}
	if len(private) == 0 {
		return []string{dir}, nil
	}
	return public, private
}
