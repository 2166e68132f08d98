package api

import (
	"net/http"
	"time"

	"belay/internal/fault"
	"belay/internal/turn"
)

type usageAnswer struct {
	Usage []turn.UsageRow `json:"usage"`
}

// serveUsage sums up tokens and cost, as belay usage prints them.
func serveUsage(h *Handler, w *response, r *http.Request) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	var since time.Time
	if day := trim(q["since"]); day != "" {
		if since, err = time.Parse(time.DateOnly, day); err != nil {
			return fault.New(fault.InvalidRequest, "since must be a day, YYYY-MM-DD").With("field", "since")
		}
	}
	rows, err := h.o.Engine.Usage(r.Context(), since)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, usageAnswer{orEmpty(rows)})
}
