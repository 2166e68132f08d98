package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/tool/shell/confine/supervisor"
)

// systemPaths are what programs need to run, where it is there. Links among
// them stay links.
var systemPaths = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
	"/nix", "/gnu", "/run/current-system", "/snap",
	"/sys/devices/system/cpu",
}

// devices are the harmless ones.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

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
