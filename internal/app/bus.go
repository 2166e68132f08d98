package app

import (
	"context"

	"belay/internal/bus"
	"belay/internal/config"
)

// AttachBus connects to the event bus of the server that runs for this user. The caller
// closes it. Without such a server the error is NOT_FOUND.
func AttachBus(ctx context.Context, cfg *config.Config) (*bus.Bus, error) {
	o := busOptions(cfg)
	o.Attach = true
	return bus.Open(ctx, o)
}
