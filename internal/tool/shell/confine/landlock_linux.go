package confine

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The rights of Landlock, by the version that brought them. A right that the
// kernel does not know cannot be asked for, and one that is not asked for is not
// limited; the report says which.
const (
	landlockRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landlockFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	landlockDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	landlockAll    = 1<<13 - 1 // those of the first version
)

// landlockVersion asks the kernel for its version, 0 for none.
func landlockVersion() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// landlockRights are all rights to files that a version knows.
func landlockRights(version int) uint64 {
	rights := uint64(landlockAll)
	for _, r := range []struct {
		since int
		right uint64
	}{
		{landlockRefer, unix.LANDLOCK_ACCESS_FS_REFER},
		{landlockTruncate, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{landlockIoctl, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{landlockUnix, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
	} {
		if version >= r.since {
			rights |= r.right
		}
	}
	return rights
}

// rulesetAttr and portAttr are the kernel's structures of those names.
type rulesetAttr struct{ fs, net, scoped uint64 }

type portAttr struct{ access, port uint64 }

// landlock confines the calling thread.
func (p plan) landlock() error {
	attr := rulesetAttr{fs: landlockRights(p.Landlock)}
	size := unsafe.Sizeof(attr.fs)
	if p.Landlock >= landlockTCP {
		size = unsafe.Offsetof(attr.scoped)
		if p.LimitTCP {
			attr.net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if p.Landlock >= landlockScopes {
		size = unsafe.Sizeof(attr)
		attr.scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("make a ruleset: %w", errno)
	}
	defer func() { _ = unix.Close(int(fd)) }()
	if err := p.fileRules(int(fd), attr.fs); err != nil {
		return err
	}
	if attr.net != 0 {
		if err := p.portRules(int(fd)); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("enter the ruleset: %w", errno)
	}
	return nil
}

func (p plan) fileRules(ruleset int, handled uint64) error {
	for _, path := range p.Write {
		if err := allowPath(ruleset, path, handled&^unix.LANDLOCK_ACCESS_FS_IOCTL_DEV); err != nil {
			return err
		}
	}
	read := append([]string{"/proc"}, p.Read...)
	if p.Namespaces { // it is the command's own tree that is looked at
		if err := allowPath(ruleset, "/tmp", handled&^unix.LANDLOCK_ACCESS_FS_IOCTL_DEV); err != nil {
			return err
		}
		if err := allowPath(ruleset, "/dev/shm", handled&^unix.LANDLOCK_ACCESS_FS_IOCTL_DEV); err != nil {
			return err
		}
		read = append(read, "/dev")
	}
	for _, path := range read {
		if err := allowPath(ruleset, path, handled&landlockRead); err != nil {
			return err
		}
	}
	for _, path := range devices {
		if err := allowPath(ruleset, path, handled&landlockDevice); err != nil {
			return err
		}
	}
	return nil
}

// allowPath grants rights beneath a path. One that is not there needs no rule.
func allowPath(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { _ = unix.Close(fd) }()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= landlockFile
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("grant %s: %w", path, errno)
	}
	return nil
}

// ruleNetPort is the type of a rule for a port.
const ruleNetPort = 2

func (p plan) portRules(ruleset int) error {
	rights := map[uint16]uint64{}
	for _, port := range p.Connect {
		rights[port] |= unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	for _, port := range p.Listen {
		rights[port] |= unix.LANDLOCK_ACCESS_NET_BIND_TCP
	}
	for port, access := range rights {
		attr := portAttr{access: access, port: uint64(port)}
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), ruleNetPort, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
		if errno != 0 {
			return fmt.Errorf("grant port %d: %w", port, errno)
		}
	}
	return nil
}
