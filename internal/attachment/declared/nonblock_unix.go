//go:build unix

package declared

import "syscall"

// nonblock keeps the open of a pipe that took a file's place from waiting.
const nonblock = syscall.O_NONBLOCK
