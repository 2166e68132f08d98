package confine

import "golang.org/x/sys/unix"

const (
	thisArch = unix.AUDIT_ARCH_AARCH64
	// foreignCalls begin where no call of this processor is.
	foreignCalls = 0x40000000
)

// oldMetadataCalls are [metadataCalls] that only older processors have.
var oldMetadataCalls []uint32
