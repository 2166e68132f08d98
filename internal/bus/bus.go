// Package bus connects belay with surfaces and readers that are not in this process, or
// that want to start and stop on their own: Discord, gateways, other nodes.
//
// The bus is NATS JetStream. By default the server runs inside this process without a
// network port ([Open] with a Dir), and other processes of the user connect through a
// socket (Attach). With a URL the same code uses a cluster that somebody else runs.
//
// The messages are those of package contract, which has the table of them. A surface
// uses a [Client]: it puts requests on the bus, follows their output, and answers
// questions. A worker takes requests ([Bus.Requests]), publishes outputs in order
// ([Outbox]) and answers questions ([Bus.Replies]). Work, fan-out and tail are
// consumers of JetStream: a work queue for requests, a durable consumer for each reader
// of signals ([Client.Follow]), an ordered one for each reader of an output
// ([Client.Output]).
//
// Guarantees: a message is stored once, however often it is published with its id;
// a request is delivered until it is acknowledged; the messages of an output are in
// order, without a gap and each once. What cannot be dealt with becomes a dead letter.
//
// Specification: bus-discord; docs/architecture.md, "The bus".
package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrStoreInUse is in the chain of Open's error when another process has the
// store open: one embedded server per state folder.
var ErrStoreInUse = errors.New("the bus store is in use by another server")

// openTimeout bounds a connect, and the first question to the stream, which a
// server may answer late while it recovers its store.
const openTimeout = 15 * time.Second

// reconnectWait is the delay between two attempts to connect again.
const reconnectWait = 50 * time.Millisecond

// Options says where the bus lives. Dir or URL is required.
type Options struct {
	// Dir is the folder of the embedded server's store, created if missing.
	// It is locked while the bus is open.
	Dir string
	// Attach connects to the embedded server that another process of this user runs
	// on Dir. Without one, Open's error is NOT_FOUND.
	Attach bool
	// URL names an existing NATS server or cluster (nats://host:port, commas
	// between several) to use instead of the embedded one.
	URL string
	// AckTimeout is how long a stream may take to confirm a message before it counts as
	// failed. Zero means 5 seconds.
	AckTimeout time.Duration
	// Logger gets what the embedded server has to say. Nil discards it.
	Logger *slog.Logger
}

// MaxAge is how long outputs, signals and copies of files are kept: a reader that was away
// for a night misses nothing.
const MaxAge = 24 * time.Hour

func (o Options) withDefaults() Options {
	o.AckTimeout = cmp.Or(o.AckTimeout, 5*time.Second)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

func (o Options) check() error {
	switch {
	case (o.Dir == "") == (o.URL == ""):
		return errors.New("bus: exactly one of Dir and URL must be set")
	case o.Attach && o.Dir == "":
		return errors.New("bus: Attach needs Dir")
	case o.AckTimeout < 0:
		return errors.New("bus: the timeout must not be negative")
	}
	return nil
}

// Bus is an open connection to the streams. All methods may be called from any
// goroutine.
type Bus struct {
	opts   Options
	server *embedded // nil when URL is used
	nc     *nats.Conn
	js     jetstream.JetStream
	health health
	lent   lent

	// backoff is [Backoff] but in tests.
	backoff func(failures int) time.Duration

	reviving sync.Mutex // lets only one goroutine repair the server
}

// Open starts the embedded server, or connects to the one at opts.URL, and
// makes sure that the streams exist. The caller owns the result and must
// [Bus.Close] it. An error whose chain holds [ErrStoreInUse] means that
// another server uses the same Dir.
func Open(ctx context.Context, opts Options) (_ *Bus, err error) {
	opts = opts.withDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	b := &Bus{opts: opts, backoff: Backoff}
	defer func() {
		if err != nil {
			_ = b.shutdown() // the error that ended Open is returned
		}
	}()
	connect := []nats.Option{
		nats.Name("belay"),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait),
		// While disconnected a publish must fail at once: who publishes tries again.
		nats.ReconnectBufSize(-1),
		nats.Timeout(openTimeout),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			opts.Logger.Warn("bus connection", "error", err)
		}),
	}
	if opts.Attach {
		if err := b.reachable(ctx); err != nil {
			return nil, err
		}
		connect = append(connect, nats.SetCustomDialer(dialer{opts.Dir}))
	} else if opts.URL == "" {
		b.server = &embedded{dir: opts.Dir, logger: opts.Logger}
		if err := b.server.start(); err != nil {
			return nil, err
		}
		connect = append(connect, nats.InProcessServer(b.server))
	}
	if b.nc, err = nats.Connect(opts.URL, connect...); err != nil {
		return nil, fmt.Errorf("bus: connect: %w", err)
	}
	if b.js, err = jetstream.New(b.nc, jetstream.WithDefaultTimeout(opts.AckTimeout)); err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	if err := b.ensureStreams(ctx, openTimeout); err != nil {
		return nil, err
	}
	return b, nil
}

// Close ends the connection and the embedded server and frees the store.
// Subscriptions must be closed first. The server is given until
// ctx is done; after that Close returns ctx's error while the shutdown, which
// cannot be cut short without harming the store, finishes in the background.
func (b *Bus) Close(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- b.shutdown() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("bus: close: %w", ctx.Err())
	}
}

func (b *Bus) shutdown() error {
	if b.nc != nil {
		b.nc.Close()
	}
	if b.server != nil {
		return b.server.stop()
	}
	return nil
}
