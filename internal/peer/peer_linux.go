package peer

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// Sizes of the kernel's messages about sockets (linux/inet_diag.h).
const (
	headBytes    = unix.SizeofNlMsghdr
	requestBytes = headBytes + 56
	answerBytes  = headBytes + 72
)

// patience bounds how long the kernel may take to answer.
const patience = time.Second

// UID returns the user id of the process at the other end of a TCP connection: the
// socket whose own address is the connection's remote one. It fails with [ErrUnknown]
// where that is not a socket of this machine that a process has open.
func UID(conn net.Conn) (int, error) {
	here, err := address(conn.LocalAddr())
	if err != nil {
		return 0, err
	}
	there, err := address(conn.RemoteAddr())
	if err != nil {
		return 0, err
	}
	answer, err := ask(request(there, here))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return user(answer)
}

func address(a net.Addr) (netip.AddrPort, error) {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}, fmt.Errorf("%w: %v is not a TCP address", ErrUnknown, a)
	}
	at := t.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port()), nil
}

// request asks for the one socket with these addresses.
func request(own, other netip.AddrPort) []byte {
	b := make([]byte, requestBytes)
	order := binary.NativeEndian
	order.PutUint32(b[0:], requestBytes)
	order.PutUint16(b[4:], unix.SOCK_DIAG_BY_FAMILY)
	order.PutUint16(b[6:], unix.NLM_F_REQUEST)
	b[headBytes] = unix.AF_INET
	if own.Addr().Is6() {
		b[headBytes] = unix.AF_INET6
	}
	b[headBytes+1] = unix.IPPROTO_TCP
	order.PutUint32(b[headBytes+4:], ^uint32(0)) // in any state
	id := b[headBytes+8:]
	binary.BigEndian.PutUint16(id[0:], own.Port())
	binary.BigEndian.PutUint16(id[2:], other.Port())
	copy(id[4:20], own.Addr().AsSlice())
	copy(id[20:36], other.Addr().AsSlice())
	order.PutUint64(id[40:], ^uint64(0)) // whatever its cookie is
	return b
}

// ask sends the kernel a request and returns its answer.
func ask(request []byte) ([]byte, error) {
	s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(s) }()
	limit := unix.NsecToTimeval(patience.Nanoseconds())
	if err := unix.SetsockoptTimeval(s, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return nil, err
	}
	if err := unix.Sendto(s, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	b := make([]byte, 4096)
	n, from, err := unix.Recvfrom(s, b, 0)
	if err != nil {
		return nil, err
	}
	if kernel, ok := from.(*unix.SockaddrNetlink); !ok || kernel.Pid != 0 {
		return nil, fmt.Errorf("an answer that is not the kernel's")
	}
	return b[:n], nil
}

// user reads the user id in an answer. A socket that no process has open any more is
// said to be root's, so it counts as unknown.
func user(answer []byte) (int, error) {
	order := binary.NativeEndian
	if len(answer) < answerBytes || order.Uint16(answer[4:]) != unix.SOCK_DIAG_BY_FAMILY {
		return 0, fmt.Errorf("%w: there is no such socket", ErrUnknown)
	}
	body := answer[headBytes:]
	if inode := order.Uint32(body[68:]); inode == 0 {
		return 0, fmt.Errorf("%w: it is closed", ErrUnknown)
	}
	return int(order.Uint32(body[64:])), nil
}
