package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plan is what the keeper is told: the whole cage, settled before the command
// starts. It decides nothing itself.
type plan struct {
	Shell, Command, Dir string
	Env                 []string
	// Read and Write are what is granted, by real path. Masked are folders and
	// files in them that the command finds empty; Links are the links of the
	// root folder.
	Read, Write, Masked []string
	Links               map[string]string
	// Temp is mounted at /tmp.
	Temp string

	Landlock   int
	Namespaces bool
	Filter     bool
	// LimitTCP makes Connect and Listen the only TCP ports; NoNetwork takes all
	// but Unix sockets away, OwnNetwork only a loopback interface is there;
	// NoUnix takes Unix sockets by path away.
	LimitTCP, NoNetwork, OwnNetwork, NoUnix bool
	Connect, Listen                         []uint16
	Limits                                  Limits
	// User is who starts the command, where that needs a user namespace.
	User *user
}

// user is a user of the machine, by numbers.
type user struct{ UID, GID int }

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
func (r *Runner) plan(c Command, found Report) (plan, error) {
	sh, err := shell()
	if err != nil {
		return plan{}, &SetupError{"find a shell", err}
	}
	p := plan{
		Shell: sh, Command: c.Text, Dir: c.Dir,
		Env:    append(slices.Clone(r.o.Env), homes(c.Scratch)...),
		Limits: r.o.Limits, Landlock: found.Landlock, Namespaces: found.Namespaces, Filter: found.Filter,
		Temp: filepath.Join(c.Scratch, tmpDir),
	}
	if uid := os.Geteuid(); p.Namespaces && uid != 0 {
		p.User = &user{uid, os.Getegid()}
	}
	switch {
	case r.o.Off:
		return p, nil
	case r.o.Network == NetworkNone:
		p.NoNetwork, p.OwnNetwork = !found.Namespaces, found.Namespaces
	case r.o.Network == NetworkPorts:
		p.LimitTCP, p.Connect, p.Listen = true, r.o.connectPorts(), r.o.ListenPorts
	}
	p.NoUnix = !found.Namespaces && found.Landlock < landlockUnix
	if err := p.grant(r.o, c, r.etc()); err != nil {
		return plan{}, &SetupError{"decide what the command may reach", err}
	}
	return p, nil
}

// connectPorts are those that may be connected to now.
func (o Options) connectPorts() []uint16 {
	if o.ServerPorts == nil {
		return o.ConnectPorts
	}
	never := o.ServerPorts()
	return slices.DeleteFunc(slices.Clone(o.ConnectPorts), func(p uint16) bool { return slices.Contains(never, p) })
}

// grant fills in the paths. It fails where something hidden would be granted and
// cannot be masked.
func (p *plan) grant(o Options, c Command, parts etcParts) error {
	p.Links = map[string]string{}
	for _, path := range systemPaths {
		if target, err := os.Readlink(path); err == nil {
			p.Links[path] = target
			continue
		}
		if _, err := os.Stat(path); err == nil {
			p.Read = append(p.Read, path)
		}
	}
	p.grantEtc(parts)
	for _, path := range o.ReadPaths {
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // a toolchain that is not installed
		}
		if err != nil {
			return err
		}
		p.Read = append(p.Read, real)
	}
	for _, path := range []string{c.Project, c.Scratch} {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return err
		}
		p.Write = append(p.Write, real)
	}
	if p.Namespaces {
		p.Masked = append(p.Masked, existing(c.Masked)...)
	}
	return p.hide(o.Hidden)
}

// grantEtc grants the system's configuration. To root, every file in it is open:
// what is not meant for everybody is left out.
func (p *plan) grantEtc(parts etcParts) {
	if target, err := filepath.EvalSymlinks(etc + "/resolv.conf"); err == nil && !within(target, etc) {
		p.Read = append(p.Read, target)
	}
	if p.Namespaces {
		p.Read, p.Masked = append(p.Read, etc), append(p.Masked, parts.private...)
		return
	}
	p.Read = append(p.Read, parts.public...)
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
func (p *plan) hide(hidden []string) error {
	for _, path := range hidden {
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, granted := range slices.Concat(p.Read, p.Write) {
			switch {
			case within(granted, real):
				return fmt.Errorf("%s lies in %s, which no command may reach", granted, real)
			case within(real, granted) && !p.Namespaces:
				return fmt.Errorf("%s holds %s, which no command may reach", granted, real)
			case within(real, granted):
				p.Masked = append(p.Masked, real)
			}
		}
	}
	return nil
}

// within reports whether path is dir or lies in it. Both are clean.
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
