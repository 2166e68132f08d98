package confine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// ownNetwork serves the listeners that a supervisor sends from the command's own network.
type ownNetwork struct {
	socket *net.UnixConn
	inside *Inside
	// received is closed when no more listeners come; serving counts those that are
	// served.
	received  chan struct{}
	listeners []net.Listener
	serving   sync.WaitGroup
}

// newNetwork returns a network of these ports, and the supervisor's end of its socket. Inside
// may be nil.
func newNetwork(ports []Port, inside *Inside) (*ownNetwork, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a socket pair: %w", err)
	}
	own, theirs := os.NewFile(uintptr(fds[0]), "network"), os.NewFile(uintptr(fds[1]), "network")
	conn, err := net.FileConn(own)
	err = errors.Join(err, own.Close())
	socket, ok := conn.(*net.UnixConn)
	if err != nil || !ok {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	n := &ownNetwork{socket: socket, inside: inside, received: make(chan struct{})}
	go n.receive(ports)
	return n, theirs, nil
}

// receive takes the listeners from the supervisor, and serves them.
func (n *ownNetwork) receive(ports []Port) {
	defer close(n.received)
	given := map[uint16]bool{}
	for _, p := range ports {
		f, err := receiveFile(n.socket)
		if err != nil {
			return // the supervisor's answer says what went wrong
		}
		l, err := net.FileListener(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return
		}
		given[p.Number] = true
		n.listeners = append(n.listeners, l)
		n.serving.Go(func() { p.Serve(l) })
	}
	if n.inside != nil {
		n.inside.open(n.socket, given)
	}
}

// errNoFile says that a message of the supervisor's holds no file.
var errNoFile = errors.New("the supervisor sent no file")

// receiveFile takes a file that the supervisor sends, or the error in its place.
func receiveFile(socket *net.UnixConn) (*os.File, error) {
	space := make([]byte, unix.CmsgSpace(4))
	var code [1]byte
	_, n, _, _, err := socket.ReadMsgUnix(code[:], space)
	switch {
	case err != nil:
		return nil, err
	case code[0] != 0:
		return nil, unix.Errno(code[0])
	}
	messages, err := unix.ParseSocketControlMessage(space[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(err, errNoFile)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(err, errNoFile)
	}
	unix.CloseOnExec(fds[0])
	return os.NewFile(uintptr(fds[0]), "network"), nil
}

// stop ends what is served and waits for that. Nil has ended.
func (n *ownNetwork) stop() {
	if n == nil {
		return
	}
	if n.inside != nil {
		n.inside.close()
	}
	_ = n.socket.Close() // nothing more comes through it
	<-n.received
	for _, l := range n.listeners {
		_ = l.Close() // Serve returns
	}
	n.serving.Wait()
}
