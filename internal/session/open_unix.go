//go:build unix

package session

import "syscall"

// nonBlock keeps the open of a planted pipe from waiting for its writer.
const nonBlock = syscall.O_NONBLOCK
