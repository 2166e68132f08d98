// Package api is the HTTP surface: it decodes a request, calls [turn.Engine] and
// encodes the answer. It decides nothing about turns, sessions or attachments.
//
// Start with [New] and [Serve]. Every endpoint is a row of one table
// (routes.go), from which the router, the metrics' labels, the OpenAPI document
// and the /docs page are made, so that none of them can drift from the others.
//
// A request passes, in this order: the guard (Host, Origin, Fetch metadata), the
// route, the caller's authority, the route's own function. That function returns
// an error or has answered; errors of all kinds leave through one encoder, in
// the shape of package fault. A panic answers 500 and harms no other request.
//
// # Bodies
//
// JSON is read whatever the Content-Type says, as the original did, and strictly:
// one object, no duplicate keys at any depth, valid UTF-8, nothing behind it. A
// body that breaks several rules gets one error that lists all of them, in the
// contract's order of checks.
//
// # Streams
//
// A turn's answer and a session's events are the same Server-Sent Events, copied
// from the session's log. Each batch that the log hands over is one write and
// one flush. A reader that takes nothing for Options.WriteTimeout is dropped,
// which costs the turn nothing; it may come back with Last-Event-ID. After
// process:exit the answer ends. The TCP connection itself is left open for the
// client's next request, as the original's "Connection: keep-alive" promised; to
// a client the end of the body is the end of the stream.
//
// Contract: the HTTP contract; compatible contract, sections 0 to 1.8 and 2;
// turn API REQ-01, REQ-03, REQ-07, REQ-08, REQ-10.
package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Handler is the HTTP surface. It is safe for concurrent use and owns no
// goroutine of its own.
type Handler struct {
	o        Options
	mux      *http.ServeMux
	guard    guard
	metrics  *Metrics
	streams  atomic.Int64
	draining atomic.Bool
	// followed ends the streams that have no end of their own, ended all.
	followed, ended       context.Context
	endFollowers, endRest context.CancelFunc

	// The reference is made when somebody first asks for it: it costs as much as all
	// the rest of a start, and few do.
	openapi func() []byte
	// documents has the bodies of what never changes.
	documents documents
	docs      func() docsPage
}

// New returns a handler for every endpoint of the HTTP contract that this
// version serves.
func New(o Options) *Handler {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.KeepAlive = cmp.Or(o.KeepAlive, 15*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.BodyTimeout = cmp.Or(o.BodyTimeout, 30*time.Second)
	o.BodyBytes = cmp.Or(o.BodyBytes, 4<<20)
	o.UploadBytes = cmp.Or(o.UploadBytes, 64<<20)
	o.MaxStreams = cmp.Or(o.MaxStreams, 8192)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(o.Version)
	}
	table := routes()
	h := &Handler{
		o:       o,
		guard:   newGuard(o.BoundAddr, o.AllowedHosts),
		metrics: o.Metrics,
		openapi: sync.OnceValue(func() []byte { return openAPI(table, o.Version) }),
		docs:    sync.OnceValue(func() docsPage { return newDocsPage(table, o.Version) }),
	}
	h.ended, h.endRest = context.WithCancel(context.Background())
	h.followed, h.endFollowers = context.WithCancel(h.ended)
	h.mux = newMux(h, table)
	h.metrics.prepare(table)
	return h
}

// Drain makes the handler refuse new turns with OVERLOADED and report that it is
// not ready. What runs goes on.
func (h *Handler) Drain() { h.draining.Store(true) }

// EndFollowers ends the streams that follow a session without end. Those of one
// turn go on to its process:exit.
func (h *Handler) EndFollowers() { h.endFollowers() }

// EndStreams ends every open stream where it is. Their clients may resume here
// or at the server that takes over.
func (h *Handler) EndStreams() { h.endRest() }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	res := newResponse(w, h.o.WriteTimeout)
	r, res.span = identify(&h.o, res, r)
	defer func() { h.finish(res, r, recover()) }()

	if r.ContentLength != 0 {
		// Also where nobody reads the body: net/http then waits for it, before
		// the answer and after it.
		res.expect(h.o.BodyTimeout)
	}
	setSecurityHeaders(res.Header())
	err := h.guard.check(r)
	if err == nil && !clean(r.URL.EscapedPath()) {
		err = noEndpoint(r)
	}
	if err != nil {
		h.fail(res, r, err)
		return
	}
	h.mux.ServeHTTP(res, r)
}

// serve answers a request by its route.
func (h *Handler) serve(res *response, r *http.Request) error {
	if err := h.authorize(r, res.route); err != nil {
		return err
	}
	if res.route.body == nil && r.ContentLength != 0 {
		if _, err := h.body(res, r); err != nil { // read away: it means nothing here
			return err
		}
	}
	r, err := h.projectByID(r, res.route)
	if err != nil {
		return err
	}
	if res.route.streams() {
		ctx, leave := h.o.Operator.whileAuthorized(r)
		defer leave()
		r = r.WithContext(ctx)
	}
	return res.route.serve(&call{h, res, r})
}

// servePage answers for one of the page's files, which are for reading only.
func (h *Handler) servePage(res *response, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notAllowed(r, "GET, HEAD")
	}
	h.o.Page.ServeHTTP(res, r)
	return nil
}

// finish records the request and answers for a handler that panicked. Where an
// answer had begun it cuts the connection instead: what broke off must not look
// whole.
func (h *Handler) finish(res *response, r *http.Request, panicked any) {
	if panicked != nil && panicked != http.ErrAbortHandler {
		h.o.Logger.ErrorContext(r.Context(), "panic in a request", "method", r.Method, "route", res.route.label(), "panic", panicked, "stack", string(debug.Stack()))
		if !res.started() {
			h.fail(res, r, errPanic)
			panicked = nil
		}
	}
	h.metrics.request(res)
	conclude(&h.o, res, r)
	if panicked != nil {
		panic(http.ErrAbortHandler)
	}
}
