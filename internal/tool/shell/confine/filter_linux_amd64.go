package confine

import "golang.org/x/sys/unix"

const (
	thisArch = unix.AUDIT_ARCH_X86_64
	// foreignCalls begin the numbers of the x32 interface.
	foreignCalls = 0x40000000
)

// oldMetadataCalls are [metadataCalls] that newer processors do not have.
var oldMetadataCalls = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN}
