package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/quantity"
)

// server is one server and the connection to it.
type server struct {
	Server
	dir    string
	life   context.Context // that of the process
	work   *sync.WaitGroup
	clock  func() time.Time
	redact func(string) string
	logger *slog.Logger
	info   *sdk.Implementation

	mu sync.Mutex
	// attempt is the latest one, nil before the first.
	attempt *attempt
}

// attempt is one connection from its beginning to its end.
type attempt struct {
	// ready is closed once conn or err is set, late once nobody is to wait for that any more.
	ready, late chan struct{}
	conn        *connection
	err         error
	// failed is the time of err.
	failed time.Time
}

// connection is a session with a server whose tools are known.
type connection struct {
	server  *server
	session *sdk.ClientSession
	link    link
	// ended is closed when the session is over.
	ended chan struct{}

	// list is the latest one, stale is set once the server said that it is another.
	list  atomic.Pointer[list]
	stale atomic.Bool
	// reading is held by the one that asks for a new list.
	reading sync.Mutex
}

// begin connects in the background unless there is a connection, one is being made, or the
// last one failed a moment ago.
func (v *server) begin() *attempt {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a := v.attempt; a != nil && !v.over(a) {
		return a
	}
	a := &attempt{ready: make(chan struct{}), late: make(chan struct{})}
	v.attempt = a
	time.AfterFunc(startPatience, func() { close(a.late) })
	v.work.Go(func() { v.run(a) })
	return a
}

// over reports whether a new attempt is due after this one.
func (v *server) over(a *attempt) bool {
	select {
	case <-a.ready:
	default:
		return false
	}
	if a.err != nil {
		return v.clock().Sub(a.failed) >= restartPause
	}
	select {
	case <-a.conn.ended:
		return true
	default:
		return false
	}
}

// run connects, and stays until the session or the process ends.
func (v *server) run(a *attempt) {
	conn, err := v.connect()
	if err != nil {
		a.err, a.failed = err, v.clock()
		close(a.ready)
		return
	}
	a.conn = conn
	close(a.ready)
	over := make(chan struct{})
	v.work.Go(func() {
		_ = conn.session.Wait() // how it ended says the call that it cut off
		close(over)
	})
	select {
	case <-over:
	case <-conn.link.useless():
	case <-v.life.Done():
	}
	conn.close()
	<-over
	close(conn.ended) // only then may another one start
}

// connect makes a connection and lists the tools.
func (v *server) connect() (_ *connection, err error) {
	ctx, cancel := context.WithTimeout(v.life, StartTime)
	defer cancel()
	l, err := v.link()
	if err != nil {
		return nil, err
	}
	conn := &connection{server: v, link: l, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			conn.close()
			err = errors.New(v.redact(l.explain(v.words(ctx, err)).Error()))
		}
	}()
	client := sdk.NewClient(v.info, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, // no roots, no sampling, no questions
		// The library would answer a server that asks back with another call.
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			conn.stale.Store(true)
		},
	})
	if conn.session, err = client.Connect(ctx, l.transport(), nil); err != nil {
		return nil, err
	}
	first, err := conn.read(ctx)
	conn.list.Store(first)
	if far, ok := l.(*remote); ok && err == nil {
		far.known.Store(true)
	}
	return conn, err
}

// plainError is an error in words for people, which needs no explanation.
type plainError string

func (e plainError) Error() string { return string(e) }

// words says what went wrong with a start.
func (v *server) words(ctx context.Context, err error) error {
	switch {
	case v.life.Err() != nil:
		return plainError("belay is ending")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return plainError(fmt.Sprintf("it did not answer within %s; try again, or correct mcp.servers.%s", quantity.Duration(StartTime), v.Name))
	case v.URL == "" && errors.Is(err, sdk.ErrConnectionClosed):
		return errors.New("it ended, or wrote something else than MCP messages to stdout")
	}
	return err
}

// connected waits for a connection until ctx is done, or the attempt takes too long.
func (v *server) connected(ctx context.Context) (*connection, error) {
	a := v.begin()
	select {
	case <-a.ready:
		return a.conn, a.err
	case <-a.late:
	case <-ctx.Done():
	}
	select { // of two that are ready, select takes any
	case <-a.ready:
		return a.conn, a.err
	default:
		return nil, errors.New("it is still starting; a later turn has them")
	}
}

// tools are those of the server as they are now. While one caller asks for a new list, the
// others have the old one, and so have all where the server does not tell the new one.
func (v *server) tools(ctx context.Context) (*list, error) {
	conn, err := v.connected(ctx)
	if err != nil {
		return nil, err
	}
	old := conn.list.Load()
	if !conn.stale.Load() || !conn.reading.TryLock() {
		return old, nil
	}
	defer conn.reading.Unlock()
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	conn.stale.Store(false) // what changes from here on is said again
	l, err := conn.read(ctx)
	if err != nil {
		conn.stale.Store(true)
		said := v.redact(conn.link.explain(err).Error())
		return &list{old.tools, append(slices.Clone(old.problems), "the MCP server "+v.Name+" has other tools now, and does not say which: "+said)}, nil
	}
	conn.list.Store(l)
	return l, nil
}
