package keeper

import "syscall"

// proxyBacklog is how many connections may wait until belay takes them.
const proxyBacklog = 128

// passListener listens on a port of the command's own network and hands the socket to
// belay, which accepts the connections from outside. A socket stays in the network that
// it was made in.
func passListener(port int) error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _, _ = syscall.Close(fd), syscall.Close(ProxyFile) }() // belay has the listener now
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := syscall.Listen(fd, proxyBacklog); err != nil {
		return err
	}
	return syscall.Sendmsg(ProxyFile, []byte{0}, syscall.UnixRights(fd), nil, 0)
}
