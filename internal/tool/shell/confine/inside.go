package confine

import (
	"errors"
	"net"
	"sync"
)

// ProxyPort is the port of the command's own loopback interface on which it finds the
// proxy. Nothing else is there when the command starts.
const ProxyPort = 3128

// Port is a TCP port of the command's own loopback interface on which the command finds
// what Serve serves. Serve returns when the listener is closed: the command has ended
// then.
type Port struct {
	Number uint16
	Serve  func(net.Listener)
}

// Inside is a way into the network of a command while that runs ([Command.Inside]). The
// zero value is ready for one command. It is safe for concurrent use. Before the command
// runs and after it has ended, every method fails.
type Inside struct {
	mu     sync.Mutex
	socket *net.UnixConn
	// given are the ports on which belay itself listens.
	given map[uint16]bool
}

// ErrNotInside says that the network of a command cannot be entered: the command does not
// run, or has no network of its own.
var ErrNotInside = errors.New("the command's network cannot be entered")
