package api

import (
	"time"

	"belay/internal/fault"
	"belay/internal/turn"
)

type usageAnswer struct {
	Usage []turn.UsageRow `json:"usage"`
}

// usage sums up tokens and cost, as belay usage prints them.
func usage(c *call) (usageAnswer, error) {
	q, err := query(c.r)
	if err != nil {
		return usageAnswer{}, err
	}
	var since time.Time
	if day := trim(q["since"]); day != "" {
		if since, err = time.Parse(time.DateOnly, day); err != nil {
			return usageAnswer{}, fault.New(fault.InvalidRequest, "since must be a day, YYYY-MM-DD").With("field", "since")
		}
	}
	rows, err := c.o.Engine.Usage(c.ctx(), since)
	return usageAnswer{orEmpty(rows)}, err
}
