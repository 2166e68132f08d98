package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// ServeOptions configure [Serve]. Every zero value works.
type ServeOptions struct {
	// Grace is how long turns that run at the end of ctx may go on streaming.
	// Default 10 s.
	Grace time.Duration
	// Quiesce is called when ctx ends, after new turns are refused and before
	// streams are cut; its own context ends with the grace. This is the place to
	// wait for turns or to interrupt them, so that their readers see the end.
	Quiesce func(ctx context.Context)
	Logger  *slog.Logger
}

// Serve answers requests on l until ctx is done, then shuts down: it refuses new
// turns, calls Quiesce, lets streams reach their end within Grace and a second more, ends
// what is left, and returns. It owns l and every connection. A nil error is an orderly
// end.
func Serve(ctx context.Context, l net.Listener, h *Handler, o ServeOptions) error {
	srv := &http.Server{
		Handler:           h,
		ConnContext:       h.greet,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// OPTIONS * is a request like others: it has the guard, and an answer of ours.
		DisableGeneralOptionsHandler: true,
		// No ReadTimeout or WriteTimeout: streams live long. Bodies and writes
		// have deadlines of their own.
	}
	if o.Logger != nil {
		srv.ErrorLog = slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug)
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return errors.Join(err, srv.Close())
	case <-ctx.Done():
	}
	h.Drain()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(o.Grace, 10*time.Second))
	defer cancel()
	if o.Quiesce != nil {
		o.Quiesce(grace)
	}
	h.EndFollowers()
	// Turns that were interrupted have used up the grace. Their readers still get the end.
	reading, cancelReading := context.WithTimeout(context.WithoutCancel(ctx), max(untilDone(grace), endOfStreams))
	defer cancelReading()
	err := srv.Shutdown(reading)
	if err != nil {
		// The time is over: end the streams, then the connections.
		h.EndStreams()
		last, cancelLast := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancelLast()
		if err = srv.Shutdown(last); err != nil {
			err = srv.Close()
		}
	}
	<-failed // http.ErrServerClosed, by now
	return err
}

// endOfStreams is the least time for readers to get the end of turns that have ended.
const endOfStreams = time.Second

// untilDone is the time that a context has left.
func untilDone(ctx context.Context) time.Duration {
	end, _ := ctx.Deadline()
	return time.Until(end)
}
