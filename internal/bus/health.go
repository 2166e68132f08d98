package bus

import (
	"sync"

	"github.com/nats-io/nats.go"
)

// Health is the state of the bus as /metrics shows it. A bus that is
// not well delays messages; turns do not depend on it.
type Health struct {
	// OK is true while the bus is connected and the last message was stored.
	OK bool
	// Connected says whether there is a connection to the server.
	Connected bool
	// Err is why the last attempt failed, nil when it did not.
	Err error
	// Failures counts the current run of failures.
	Failures int
}

// Health returns the current state. It does not touch the network.
func (b *Bus) Health() Health {
	h := b.health.get()
	h.Connected = b.nc.Status() == nats.CONNECTED
	h.OK = h.Connected && h.Err == nil
	return h
}

// health remembers the outcome of the last attempts to publish.
type health struct {
	mu    sync.Mutex
	state Health
}

func (h *health) get() Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// failed notes a failure and returns the length of the run.
func (h *health) failed(err error) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Failures++
	h.state.Err = err
	return h.state.Failures
}

func (h *health) succeeded() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = Health{}
}
