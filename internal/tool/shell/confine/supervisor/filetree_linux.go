package supervisor

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// oldRoot is where the machine's files are while the command's tree is built of
// them. It is gone before the command starts.
const oldRoot = "/.machine"

// The empty things that masked ones are covered by.
const (
	emptyDir  = "/.empty"
	emptyFile = "/.empty-file"
)

// enter makes a file tree of what the plan grants, at the same paths, and moves
// the process into it. The process has mount and process namespaces of its own,
// and the right to mount in them.
func (t *Tree) enter() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("part from the machine's mounts: %w", err)
	}
	if err := pivot(); err != nil {
		return err
	}
	// What is the command's own /tmp comes before all that may be in the
	// machine's.
	if err := bind(t.Temp, "/tmp", mountNoSUID|mountNoDev); err != nil {
		return err
	}
	for _, step := range []func() error{t.mountSystem, t.mountDevices, t.mountOwn, t.mask} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := syscall.Unmount(oldRoot, syscall.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the machine's files: %w", err)
	}
	if err := os.Remove(oldRoot); err != nil {
		return err
	}
	return setMount("/", mountReadOnly|mountNoSUID)
}

// pivot makes an empty tree in memory the root, with the machine's below it.
func pivot() error {
	const base = "/tmp" // any folder does: what it holds is seen through oldRoot
	if err := syscall.Mount("belay", base, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("mount a new root: %w", err)
	}
	if err := os.Mkdir(base+oldRoot, 0o700); err != nil {
		return err
	}
	if err := syscall.PivotRoot(base, base+oldRoot); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	return os.Chdir("/")
}

// mountSystem brings in what may be read, and the process table.
func (t *Tree) mountSystem() error {
	for _, l := range t.Links {
		if err := os.Symlink(l.Target, l.Path); err != nil {
			return err
		}
	}
	for _, path := range t.Read {
		if err := bind(path, path, mountReadOnly|mountNoSUID|mountNoDev); err != nil {
			return err
		}
	}
	if err := os.Mkdir("/proc", 0o555); err != nil {
		return err
	}
	if err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount the process table: %w", err)
	}
	return protectKernel()
}

// kernelFiles are the parts of the process table that change the machine: to root they
// are open.
var kernelFiles = []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"}

// protectKernel lets the kernel's settings be read and not changed.
func protectKernel() error {
	for _, path := range kernelFiles {
		err := syscall.Mount(path, path, "", syscall.MS_BIND, "")
		if errors.Is(err, os.ErrNotExist) {
			continue // a kernel without it
		}
		if err == nil {
			err = setMount(path, mountReadOnly|mountNoSUID|mountNoDev)
		}
		if err != nil {
			return fmt.Errorf("restrict %s: %w", path, err)
		}
	}
	return nil
}

func (t *Tree) mountDevices() error {
	if err := os.Mkdir("/dev", 0o755); err != nil {
		return err
	}
	for _, path := range t.Devices {
		if err := bind(path, path, mountNoSUID); err != nil {
			return err
		}
	}
	for _, l := range []Link{
		{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"},
	} {
		if err := os.Symlink(l.Target, "/dev/"+l.Path); err != nil {
			return err
		}
	}
	if err := os.Mkdir("/dev/shm", 0o777); err != nil {
		return err
	}
	return syscall.Mount("shm", "/dev/shm", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, "mode=1777,size=256m")
}

// mountOwn brings in what may be changed.
func (t *Tree) mountOwn() error {
	if t.Overlay != nil {
		if err := t.Overlay.mount(); err != nil {
			return err
		}
	}
	for _, path := range t.Write {
		if err := bind(path, path, mountNoSUID|mountNoDev); err != nil {
			return err
		}
	}
	return nil
}

// mask covers what the command must not find.
func (t *Tree) mask() error {
	if err := os.Mkdir(emptyDir, 0o555); err != nil {
		return err
	}
	if err := os.WriteFile(emptyFile, nil, 0o444); err != nil {
		return err
	}
	for _, path := range t.Masked {
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
		if err := syscall.Mount(with, path, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("hide %s: %w", path, err)
		}
		if err := setMount(path, mountReadOnly|mountNoSUID|mountNoDev); err != nil {
			return fmt.Errorf("restrict %s: %w", path, err)
		}
	}
	return nil
}

// bind makes a part of the machine's tree appear at target. The last component of
// source, and any of target, may be where an earlier command could write: a link
// there is not followed.
func bind(source, target string, attributes uint64) error {
	tree, err := openTree(oldRoot + source)
	if err != nil {
		return fmt.Errorf("bring in %s: %w", source, err)
	}
	defer func() { _ = syscall.Close(tree) }()
	var stat syscall.Stat_t
	if err := syscall.Fstat(tree, &stat); err != nil {
		return fmt.Errorf("bring in %s: %w", source, err)
	}
	if stat.Mode&syscall.S_IFMT == syscall.S_IFLNK {
		return fmt.Errorf("bring in %s: it is a link", source)
	}
	if err := setTree(tree, attributes); err != nil {
		return fmt.Errorf("restrict %s: %w", source, err)
	}
	on, err := mountPoint(target, stat.Mode&syscall.S_IFMT == syscall.S_IFDIR)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(on) }()
	if err := moveMount(tree, on); err != nil {
		return fmt.Errorf("bring in %s: %w", source, err)
	}
	return nil
}

// mountPoint makes what something can be mounted on, and opens it. It follows no
// links: the folders above may be those that a command can write.
func mountPoint(path string, dir bool) (file int, err error) {
	file, err = syscall.Open("/", openPath|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	for len(path) > 0 && err == nil {
		name := path[1:]
		for i := range len(name) {
			if name[i] == '/' {
				name = name[:i]
				break
			}
		}
		path = path[1+len(name):]
		if name == "" {
			continue
		}
		above := file
		file, err = enterPoint(above, name, dir || path != "")
		_ = syscall.Close(above)
		if err != nil {
			return -1, fmt.Errorf("make a place for %s: %w", name, err)
		}
	}
	return file, err
}

// enterPoint opens a folder or file in a folder, which it makes where there is none.
func enterPoint(above int, name string, dir bool) (int, error) {
	if dir {
		if err := syscall.Mkdirat(above, name, 0o755); err != nil && !errors.Is(err, syscall.EEXIST) {
			return -1, err
		}
		return syscall.Openat(above, name, openPath|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	}
	return syscall.Openat(above, name, syscall.O_CREAT|syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o444)
}
