package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// oldRoot is where the machine's files are while the command's tree is built of
// them. It is gone before the command starts.
const oldRoot = "/.machine"

// The empty things that masked ones are covered by.
const (
	emptyDir  = "/.empty"
	emptyFile = "/.empty-file"
)

// enterTree makes a file tree of what the plan grants, at the same paths, and
// moves the process into it. The process has mount and process namespaces of its
// own, and the right to mount in them.
func (p plan) enterTree() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("part from the machine's mounts: %w", err)
	}
	if err := p.pivot(); err != nil {
		return err
	}
	for _, step := range []func() error{p.mountTemp, p.mountSystem, p.mountDevices, p.mountOwn, p.mask} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := unix.Unmount(oldRoot, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the machine's files: %w", err)
	}
	if err := os.Remove(oldRoot); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID})
}

// pivot makes an empty tree in memory the root, with the machine's below it.
func (p plan) pivot() error {
	const base = "/tmp" // any folder does: what it holds is seen through oldRoot
	if err := unix.Mount("belay", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("mount a new root: %w", err)
	}
	if err := os.Mkdir(base+oldRoot, 0o700); err != nil {
		return err
	}
	if err := unix.PivotRoot(base, base+oldRoot); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	return os.Chdir("/")
}

// mountSystem brings in what may be read, and the process table.
func (p plan) mountSystem() error {
	for link, target := range p.Links {
		if err := os.Symlink(target, link); err != nil {
			return err
		}
	}
	read := slices.Clone(p.Read)
	slices.Sort(read) // a folder before what is granted in it
	for i, path := range read {
		if slices.ContainsFunc(read[:i], func(above string) bool { return within(path, above) }) {
			continue // its folder is there
		}
		if err := bind(path, path, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV); err != nil {
			return err
		}
	}
	if err := os.Mkdir("/proc", 0o555); err != nil {
		return err
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount the process table: %w", err)
	}
	return nil
}

func (p plan) mountDevices() error {
	if err := os.Mkdir("/dev", 0o755); err != nil {
		return err
	}
	for _, path := range devices {
		if err := bind(path, path, unix.MOUNT_ATTR_NOSUID); err != nil {
			return err
		}
	}
	for link, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(target, "/dev/"+link); err != nil {
			return err
		}
	}
	if err := os.Mkdir("/dev/shm", 0o777); err != nil {
		return err
	}
	return unix.Mount("shm", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=1777,size=256m")
}

// mountTemp brings in /tmp, which is the command's own. It comes before all that
// may lie in the machine's.
func (p plan) mountTemp() error {
	return bind(p.Temp, "/tmp", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// mountOwn brings in what may be changed.
func (p plan) mountOwn() error {
	for _, path := range p.Write {
		if err := bind(path, path, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV); err != nil {
			return err
		}
	}
	return nil
}

// mask covers what the command must not find.
func (p plan) mask() error {
	if err := os.Mkdir(emptyDir, 0o555); err != nil {
		return err
	}
	if err := os.WriteFile(emptyFile, nil, 0o444); err != nil {
		return err
	}
	for _, path := range p.Masked {
		info, err := os.Lstat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // what holds it was not granted
		}
		if err != nil {
			return err
		}
		with := emptyFile
		if info.IsDir() {
			with = emptyDir
		}
		if err := cover(with, path); err != nil {
			return err
		}
	}
	return nil
}

// bind makes a part of the machine's tree appear at target.
func bind(source, target string, attrs uint64) error {
	from := oldRoot + source
	info, err := os.Stat(from)
	if err != nil {
		return strip(err)
	}
	if err := mountPoint(target, info.IsDir()); err != nil {
		return err
	}
	if err := unix.Mount(from, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("bring in %s: %w", source, err)
	}
	err = unix.MountSetattr(unix.AT_FDCWD, target, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attrs})
	if err != nil {
		return fmt.Errorf("restrict %s: %w", source, err)
	}
	return nil
}

// cover hides what is at target.
func cover(with, target string) error {
	if err := unix.Mount(with, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("hide %s: %w", target, err)
	}
	return unix.MountSetattr(unix.AT_FDCWD, target, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV})
}

// mountPoint makes what something can be mounted on.
func mountPoint(path string, dir bool) error {
	if dir {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o444)
	if err != nil {
		return err
	}
	return f.Close()
}

// strip takes oldRoot out of an error's path, which nobody outside knows.
func strip(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return &os.PathError{Op: path.Op, Path: strings.TrimPrefix(path.Path, oldRoot), Err: path.Err}
	}
	return err
}

// raiseLoopback switches on the only interface of a network of one's own.
func raiseLoopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(s) }()
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, ifr)
}
