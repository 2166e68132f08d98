package confine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"belay/internal/tool/shell/confine/supervisor"
)

// requestTime bounds how long a supervisor takes to answer; dialTime how long a connection
// to the command takes.
const (
	requestTime = 5 * time.Second
	dialTime    = 5 * time.Second
)

// maxTable bounds what is read of a table of sockets.
const maxTable = 1 << 20

func (in *Inside) open(socket *net.UnixConn, given map[uint16]bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.socket, in.given = socket, given
}

// close ends the way in. A request under way ends first.
func (in *Inside) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.socket = nil
}

// ask gets a file from the supervisor.
func (in *Inside) ask(r supervisor.Request, port uint16) (*os.File, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.socket == nil {
		return nil, ErrNotInside
	}
	_ = in.socket.SetDeadline(time.Now().Add(requestTime)) // a closed one fails at the next use
	if _, err := in.socket.Write([]byte{byte(r), byte(port >> 8), byte(port)}); err != nil {
		return nil, errors.Join(ErrNotInside, err)
	}
	f, err := receiveFile(in.socket)
	if r == supervisor.Terminate && errors.Is(err, errNoFile) {
		return nil, nil
	}
	var refused unix.Errno
	if err != nil && !errors.As(err, &refused) {
		in.socket = nil // an answer that comes late would be that to another request
		return nil, errors.Join(ErrNotInside, err)
	}
	if err == nil && r == supervisor.Listener {
		in.given[port] = true
	}
	return f, err
}

// Terminate asks the processes of the command to end, those that have not left its
// process group. It does not wait.
func (in *Inside) Terminate() error {
	_, err := in.ask(supervisor.Terminate, 0)
	return err
}

// Dial connects to a TCP port of the command's loopback interface, by either of its
// addresses.
func (in *Inside) Dial(ctx context.Context, port uint16) (net.Conn, error) {
	var errs []error
	for _, way := range []struct {
		socket  supervisor.Request
		address unix.Sockaddr
	}{
		{supervisor.Socket4, &unix.SockaddrInet4{Port: int(port), Addr: [4]byte{127, 0, 0, 1}}},
		{supervisor.Socket6, &unix.SockaddrInet6{Port: int(port), Addr: [16]byte{15: 1}}},
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := in.ask(way.socket, 0)
		if err == nil {
			var conn net.Conn
			if conn, err = connect(f, way.address); err == nil {
				return conn, nil
			}
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("connect to port %d of the command: %w", port, errors.Join(errs...))
}

// connect connects a socket, which is used up. The system bounds how long that takes:
// nothing else is in that network, so that it is decided at once.
func connect(f *os.File, to unix.Sockaddr) (_ net.Conn, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	fd := int(f.Fd()) // it blocks from here on
	limit := unix.NsecToTimeval(int64(dialTime))
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit); err != nil {
		return nil, err
	}
	if err := unix.Connect(fd, to); err != nil {
		return nil, err
	}
	return net.FileConn(f)
}

// Listening are the TCP ports on which the command listens, sorted, without those on
// which belay does.
func (in *Inside) Listening() ([]uint16, error) {
	found := map[uint16]bool{}
	for _, table := range []supervisor.Request{supervisor.Table4, supervisor.Table6} {
		f, err := in.ask(table, 0)
		if errors.Is(err, unix.ENOENT) { // there is no IPv6
			continue
		}
		if err != nil {
			return nil, err
		}
		err = listeners(io.LimitReader(f, maxTable), found)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	var ports []uint16
	for p := range found {
		if !in.given[p] {
			ports = append(ports, p)
		}
	}
	slices.Sort(ports)
	return ports, nil
}

// listeners adds the ports of a table's sockets that listen. Each line has the number of
// the socket, its address and port in hexadecimal, those of the other end, and the state.
func listeners(table io.Reader, found map[uint16]bool) error {
	const listens = "0A"
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != listens {
			continue
		}
		_, hex, _ := strings.Cut(fields[1], ":")
		if port, err := strconv.ParseUint(hex, 16, 16); err == nil {
			found[uint16(port)] = true
		}
	}
	return lines.Err()
}

// Listen listens on a TCP port of the command's loopback interface. The caller closes
// the listener.
func (in *Inside) Listen(port uint16) (net.Listener, error) {
	f, err := in.ask(supervisor.Listener, port)
	if err != nil {
		return nil, fmt.Errorf("listen on port %d of the command: %w", port, err)
	}
	l, err := net.FileListener(f)
	return l, errors.Join(err, f.Close())
}
