package confine

import (
	"golang.org/x/sys/unix"

	"belay/internal/tool/shell/confine/supervisor"
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

// ruleset is what Landlock of that version lets a command do.
func (g grants) ruleset(version int, n network, ownTree bool) *supervisor.Ruleset {
	const wordBytes = 8
	all := landlockRights(version)
	r := &supervisor.Ruleset{Files: all, Size: wordBytes, FileRights: landlockFile}
	if version >= landlockTCP {
		r.Size = 2 * wordBytes
		if n.limitTCP {
			r.Ports = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
			r.PortRules = n.portRules()
		}
	}
	if version >= landlockScopes {
		r.Size = 3 * wordBytes
		r.Scopes = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	grant := func(rights uint64, paths ...string) {
		for _, p := range paths {
			r.PathRules = append(r.PathRules, supervisor.PathRule{Path: p, Rights: all & rights})
		}
	}
	grant(^uint64(unix.LANDLOCK_ACCESS_FS_IOCTL_DEV), g.write...)
	if ownTree { // it is the command's own tree that is looked at
		grant(^uint64(unix.LANDLOCK_ACCESS_FS_IOCTL_DEV), "/tmp", "/dev/shm")
		grant(landlockRead, "/dev")
	}
	grant(landlockRead, "/proc")
	grant(landlockRead, g.read...)
	grant(landlockDevice, devices...)
	return r
}

// portRules are the TCP ports that a command may use.
func (n network) portRules() []supervisor.PortRule {
	var rules []supervisor.PortRule
	for _, port := range n.connect {
		rules = append(rules, supervisor.PortRule{Port: uint64(port), Rights: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP})
	}
	for _, port := range n.listen { // the kernel joins the rules of a port
		rules = append(rules, supervisor.PortRule{Port: uint64(port), Rights: unix.LANDLOCK_ACCESS_NET_BIND_TCP})
	}
	return rules
}
