package app

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"belay/internal/api"
	"belay/internal/bus"
	"belay/internal/worker"
)

// carrier is the bus of a running server, or nothing where it is switched off.
type carrier struct {
	bus    *bus.Bus
	worker *worker.Worker
	// endDiscord ends the surface in Discord; nil where none runs.
	endDiscord func()
	stop       func() error
}

// startBus opens the bus. Where the store of the embedded bus cannot be opened, the server
// goes without.
func (a *App) startBus(ctx context.Context, ready *readiness) (*carrier, error) {
	if !a.Config.RunsBus() {
		return &carrier{stop: func() error { return nil }}, nil
	}
	bo := busOptions(a.Config)
	bo.Logger = a.log
	b, err := bus.Open(ctx, bo)
	if errors.Is(err, bus.ErrStoreInUse) {
		// A second server of the same user works without a bus of its own.
		a.log.Info("another server carries the event bus")
		return &carrier{stop: func() error { return nil }}, nil
	}
	if err != nil && bo.URL == "" && ctx.Err() == nil {
		ready.lacks(partBus, withoutBus, err)
		return &carrier{stop: func() error { return nil }}, nil
	}
	if err != nil {
		return nil, err
	}
	c := &carrier{bus: b}
	c.stop = func() error {
		c.stopWorker(a.log)
		if c.endDiscord != nil {
			c.endDiscord()
		}
		closing, cancel := context.WithTimeout(context.Background(), busCloseTimeout)
		defer cancel()
		return b.Close(closing)
	}
	return c, nil
}

const busCloseTimeout = 5 * time.Second

func (c *carrier) up() float64 {
	if c.bus.Health().OK {
		return 1
	}
	return 0
}

// measure shows the bus in the metrics.
func (c *carrier) measure(m *api.Metrics) {
	m.Registry().MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "belay", Subsystem: "bus", Name: "up",
		Help: "1 while the bus is connected and stores what it is given, else 0."}, c.up))
}
