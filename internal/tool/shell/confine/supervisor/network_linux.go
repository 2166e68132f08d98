package supervisor

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// backlog is how many connections may wait until belay takes them.
const backlog = 128

// Request is what belay asks for while a command runs: mostly a file of the command's own
// network. A socket stays in the network that it was made in, no matter who uses it. Each is
// answered with a byte: 0 and the file, if any, or the number of the error.
type Request byte

// The requests.
const (
	// Socket4 and Socket6 are for a TCP socket that is not connected yet.
	Socket4 Request = iota + 1
	Socket6
	// Table4 and Table6 are for the kernel's tables of TCP sockets.
	Table4
	Table6
	// Listener is for a listening socket. Two bytes follow, the port, the higher first.
	Listener
	// Terminate asks the command's process group to end. There is no file.
	Terminate
)

// RequestBytes is the size of a request: the port is 0 where none belongs to it.
const RequestBytes = 3

// passListeners listens on the ports of the plan and hands the sockets to belay, which
// accepts the connections from outside.
func (p *Plan) passListeners() error {
	for _, port := range p.Ports {
		fd, err := listenOn(int(port))
		if err == nil {
			err = syscall.Sendmsg(NetworkFile, []byte{0}, syscall.UnixRights(fd), nil, 0)
			_ = syscall.Close(fd) // belay has the listener now
		}
		if err != nil {
			return fmt.Errorf("port %d: %w", port, err)
		}
	}
	if len(p.Ports) > 0 && !p.Inside {
		return syscall.Close(NetworkFile)
	}
	return nil
}

// listenOn listens on a port of every address of the command's own network, which has
// only a loopback interface: programs look for localhost at both of its addresses.
func listenOn(port int) (int, error) {
	fd, err := tcpSocket(syscall.AF_INET6)
	if err == nil {
		err = syscall.SetsockoptInt(fd, syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY, 0)
		if err == nil {
			err = listenAt(fd, &syscall.SockaddrInet6{Port: port})
		}
	}
	if err == nil || errors.Is(err, syscall.EADDRINUSE) {
		return fd, err
	}
	if fd, err = tcpSocket(syscall.AF_INET); err == nil { // there is no IPv6
		err = listenAt(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	}
	return fd, err
}

func tcpSocket(family int) (int, error) {
	return syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
}

// listenAt closes the socket where it fails.
func listenAt(fd int, at syscall.Sockaddr) error {
	err := syscall.Bind(fd, at)
	if err == nil {
		err = syscall.Listen(fd, backlog)
	}
	if err != nil {
		_ = syscall.Close(fd)
	}
	return err
}

// answerRequest answers one request of belay's about the command of that process. It is
// false when there are no more.
func answerRequest(pid int) bool {
	var request [RequestBytes]byte
	n, err := syscall.Read(NetworkFile, request[:])
	if errors.Is(err, syscall.EINTR) {
		return true
	}
	if err != nil || n != len(request) {
		return false
	}
	if Request(request[0]) == Terminate {
		_ = syscall.Kill(-pid, syscall.SIGTERM) // nobody left is no failure
		return syscall.Sendmsg(NetworkFile, []byte{0}, nil, nil, 0) == nil
	}
	fd, err := networkFile(Request(request[0]), int(request[1])<<8|int(request[2]))
	if err != nil {
		code := syscall.EIO
		_ = errors.As(err, &code)
		return syscall.Sendmsg(NetworkFile, []byte{byte(code)}, nil, nil, 0) == nil
	}
	err = syscall.Sendmsg(NetworkFile, []byte{0}, syscall.UnixRights(fd), nil, 0)
	_ = syscall.Close(fd) // belay has it now
	return err == nil
}

// networkFile opens what is asked for.
func networkFile(r Request, port int) (int, error) {
	switch r {
	case Socket4:
		return tcpSocket(syscall.AF_INET)
	case Socket6:
		return tcpSocket(syscall.AF_INET6)
	case Table4:
		return syscall.Open("/proc/self/net/tcp", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	case Table6:
		return syscall.Open("/proc/self/net/tcp6", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	case Listener:
		return listenOn(port)
	}
	return -1, syscall.EINVAL
}

// raiseLoopback switches on the only interface of a network of one's own.
func raiseLoopback() error {
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(s) }()
	request := struct { // the kernel's ifreq
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{name: [syscall.IFNAMSIZ]byte{'l', 'o'}, flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	_, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(s), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	return errnoErr(e)
}
