//go:build unix

package durable

import "syscall"

// nonblock keeps the open of a pipe that took a file's place from waiting. It
// means nothing for a file; without it [os.Root] makes four more system calls to
// find that out.
const nonblock = syscall.O_NONBLOCK
