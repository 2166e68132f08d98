package bus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"belay/internal/fault"
)

// socketName is the socket in the folder of the embedded server. Only the user who
// runs the server can enter the folder.
const socketName = "socket"

// maxConnections bounds how many other processes are connected at once.
const maxConnections = 64

// acceptAgain is the wait after a connection that the system could not give.
const acceptAgain = 100 * time.Millisecond

// door leads connections of other processes to the embedded server. It belongs to
// who opened it, and a nil one is closed.
type door struct {
	listener net.Listener
	inside   nats.InProcessConnProvider
	folder   *os.File

	mu      sync.Mutex
	conns   map[net.Conn]bool
	closed  bool
	running sync.WaitGroup
}

// listen opens the socket in dir, which only the user may enter. The caller holds the folder's lock, so a socket
// that is there is that of a dead process.
func listen(dir string, inside nats.InProcessConnProvider) (*door, error) {
	if err := os.Remove(filepath.Join(dir, socketName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("bus: socket: %w", err)
	}
	folder, address, err := socketAddress(dir)
	if err != nil {
		return nil, err
	}
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "unix", address)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bus: socket: %w", err), folder.Close())
	}
	d := &door{listener: l, inside: inside, folder: folder, conns: map[net.Conn]bool{}}
	d.running.Go(d.accept)
	return d, nil
}

// close ends the connections and removes the socket.
func (d *door) close() {
	if d == nil {
		return
	}
	d.mu.Lock()
	d.closed = true
	_ = d.listener.Close() // its socket may be gone with its folder
	for c := range d.conns {
		_ = c.Close()
	}
	d.mu.Unlock()
	d.running.Wait()
	_ = d.folder.Close()
}

// accept takes connections until the door is closed. A process that has too many files open
// for a moment takes them later.
func (d *door) accept() {
	for {
		c, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(acceptAgain)
			continue
		}
		if d.admit(c) {
			d.running.Go(func() { d.carry(c) })
		}
	}
}

// admit counts a connection, unless there are too many.
func (d *door) admit(c net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || len(d.conns) >= maxConnections {
		_ = c.Close()
		return false
	}
	d.conns[c] = true
	return true
}

// carry passes bytes both ways until one side ends.
func (d *door) carry(outer net.Conn) {
	defer func() {
		d.mu.Lock()
		delete(d.conns, outer)
		d.mu.Unlock()
		_ = outer.Close()
	}()
	inner, err := d.inside.InProcessConn()
	if err != nil {
		return // the server is being restarted; the client tries again
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(outer, inner)
		_ = outer.Close()
	}()
	_, _ = io.Copy(inner, outer)
	_ = inner.Close()
	<-back
}

// dialer connects to the server that another process runs on a folder.
type dialer struct{ dir string }

var _ nats.CustomDialer = dialer{}

// Dial implements [nats.CustomDialer].
func (d dialer) Dial(string, string) (net.Conn, error) {
	return d.dial(context.Background()) // the client reconnects as long as it lives
}

func (d dialer) dial(ctx context.Context) (net.Conn, error) {
	folder, address, err := socketAddress(d.dir)
	if err != nil {
		return nil, err
	}
	by := net.Dialer{Timeout: openTimeout}
	c, err := by.DialContext(ctx, "unix", address)
	return c, errors.Join(err, folder.Close())
}

// SkipTLSHandshake tells the client that the socket needs none.
func (dialer) SkipTLSHandshake() bool { return true }

// reachable reports whether a server can be attached to.
func (b *Bus) reachable(ctx context.Context) error {
	c, err := dialer{b.opts.Dir}.dial(ctx)
	if err != nil {
		return fault.New(fault.NotFound, "no server of this user carries the event bus").
			WithHint("start belay serve with bus.enabled: on").Because(err)
	}
	return c.Close()
}
