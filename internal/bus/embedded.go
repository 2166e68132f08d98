package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"belay/internal/durable"
)

// startTimeout bounds the start of the embedded server, most of which is the
// recovery of the store after a crash.
const startTimeout = 30 * time.Second

// syncInterval is how long a message may wait until it is flushed to the disk: what a
// power cut may take. The death of the process takes nothing.
const syncInterval = 5 * time.Second

// embedded is the NATS server inside this process. It listens on no port;
// connections are in-memory pipes. It can be replaced while clients stay: they
// reconnect through InProcessConn to whichever server runs then.
type embedded struct {
	dir    string
	logger *slog.Logger
	// srv is nil while it is stopped, and after a failed restart. It has no need of mu: stop
	// holds that while it waits for connections, which ask for the server.
	srv atomic.Pointer[server.Server]

	mu     sync.Mutex
	lock   *durable.FileLock
	door   *door // nil where other processes cannot connect
	closed bool
	// lost is set where the folder was removed, until the door is open in the new one.
	lost bool
}

// start locks the store and starts the server.
func (e *embedded) start() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.take(); err != nil {
		return err
	}
	if err := e.launch(); err != nil {
		return err
	}
	e.openDoor()
	return nil
}

// openDoor lets other processes of the user connect. The bus works without it. e.mu
// must be held.
func (e *embedded) openDoor() {
	d, err := listen(e.dir, e)
	if err != nil {
		e.logger.Warn("other programs cannot connect to the bus", "error", err)
		return
	}
	e.door = d
}

// take locks the store, unless it is. A lock whose file was removed excludes nobody.
// e.mu must be held.
func (e *embedded) take() error {
	if e.lock != nil && e.lock.Named() {
		return nil
	}
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return fmt.Errorf("bus: store: %w", err)
	}
	lock, err := durable.Lock(filepath.Join(e.dir, "lock"))
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("bus: %w: %s", ErrStoreInUse, e.dir)
	}
	if err != nil {
		return fmt.Errorf("bus: store: %w", err)
	}
	if e.lock != nil {
		_ = e.lock.Close() // of a file that is gone
	}
	e.lock = lock
	return nil
}

// launch starts a server on the store. e.mu must be held.
func (e *embedded) launch() error {
	srv, err := server.NewServer(&server.Options{
		ServerName: "belay",
		DontListen: true,
		NoSigs:     true, // signals belong to the program, not to its bus
		NoLog:      true,
		JetStream:  true,
		StoreDir:   filepath.Join(e.dir, "store"),
		// Explicit, or the server would take three quarters of the machine's
		// memory and of its free disk as its limits, and refuse to create a
		// stream that fits the configuration but not the moment.
		JetStreamMaxMemory:     1 << 20,
		JetStreamMaxStore:      storeLimit(),
		DisableJetStreamBanner: true,
		SyncInterval:           syncInterval,
	})
	if err != nil {
		return fmt.Errorf("bus: embedded server: %w", err)
	}
	log := &serverLog{logger: e.logger}
	srv.SetLoggerV2(log, false, false, false)
	srv.Start()
	if !srv.ReadyForConnections(startTimeout) || !srv.JetStreamEnabled() {
		srv.Shutdown()
		srv.WaitForShutdown()
		return fmt.Errorf("bus: embedded server did not start: %w", log.last())
	}
	e.srv.Store(srv)
	return nil
}

// restart replaces the server. After a write error a JetStream store refuses
// every further write until it is opened again.
func (e *embedded) restart() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return server.ErrServerNotRunning
	}
	e.halt()
	if e.lock == nil || !e.lock.Named() { // the folder was made again, without its socket
		e.lost = true
	}
	if err := e.take(); err != nil {
		return err
	}
	if err := e.launch(); err != nil {
		return err
	}
	if e.lost {
		e.door.close()
		e.openDoor()
		e.lost = false
	}
	return nil
}

// stop ends the server and frees the store. It may be called twice.
func (e *embedded) stop() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.door.close()
	e.door = nil
	e.halt()
	if e.lock == nil {
		return nil
	}
	err := e.lock.Unlock()
	e.lock = nil
	return err
}

// down reports whether a restart failed. A nil server runs elsewhere.
func (e *embedded) down() bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.srv.Load() == nil && !e.closed
}

// halt ends the server. e.mu must be held.
func (e *embedded) halt() {
	if srv := e.srv.Swap(nil); srv != nil {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
}

// InProcessConn implements [nats.InProcessConnProvider].
func (e *embedded) InProcessConn() (net.Conn, error) {
	srv := e.srv.Load()
	if srv == nil {
		return nil, server.ErrServerNotRunning
	}
	return srv.InProcessConn()
}

// serverLog hands the server's messages on. A server inside another program
// must never exit it, so Fatalf only reports.
type serverLog struct {
	logger *slog.Logger
	mu     sync.Mutex
	err    error
}

// last returns the newest error that the server reported.
func (l *serverLog) last() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		return errors.New("no reason given")
	}
	return l.err
}

func (l *serverLog) fail(format string, v ...any) {
	err := fmt.Errorf(format, v...)
	l.mu.Lock()
	l.err = err
	l.mu.Unlock()
	l.logger.Error("bus server", "error", err)
}

func (l *serverLog) Fatalf(format string, v ...any) { l.fail(format, v...) }
func (l *serverLog) Errorf(format string, v ...any) { l.fail(format, v...) }
func (l *serverLog) Warnf(format string, v ...any) {
	l.logger.Warn("bus server: " + fmt.Sprintf(format, v...))
}

// The server's chatter about its own start is nobody's news.
func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}
