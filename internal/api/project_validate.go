package api

import (
	"context"
	"net/http"
	"time"

	"belay/internal/workspace/validate"
)

// validateKey is under which a snapshot keeps its report: what is a date in the
// future depends on the day.
type validateKey struct{ today string }

func serveValidate(h *Handler, w *response, r *http.Request) error {
	root, _, err := h.projectOf(r)
	if err != nil {
		return err
	}
	s, err := h.current(r, root)
	if err != nil {
		return err
	}
	today := h.o.Clock().Format(time.DateOnly)
	// Others wait for the same report: it must not end with the first one's request.
	ctx := context.WithoutCancel(r.Context())
	err = replyKept(w, r, s, validateKey{today}, func() (any, error) {
		return validate.Project(ctx, root, s.Result, validate.Options{FileBytes: h.o.Projects.FileBytes, Today: today})
	})
	return noIndex(root, err)
}
