package shell

import (
	"context"

	"belay/internal/permit"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/egress"
)

// proxy is the command's way to other machines, nil where it has none.
func (c *call) proxy(ctx context.Context) *egress.Proxy {
	decides := c.environment.Network
	if c.report.Network != confine.NetworkAsk || decides == nil {
		return nil
	}
	return egress.New(ctx, egress.Options{
		Dialer: c.shell.dialer,
		Ask: func(ctx context.Context, host string) (permit.Ruling, error) {
			return decides.Ask(ctx, permit.HostEffect(host))
		},
		Record: func(ctx context.Context, host string, r permit.Ruling) error {
			return decides.Record(ctx, permit.HostEffect(host), r)
		},
	})
}
