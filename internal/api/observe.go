package api

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"belay/internal/lazyregexp"
	"belay/internal/telemetry"
)

// headerRequestID names a request: in the answer, in log lines and in spans. A client may
// name its own.
const headerRequestID = "X-Request-Id"

var requestID = lazyregexp.New(`^[A-Za-z0-9._-]{1,64}$`)

// identify gives a request its id and, where requests are traced, its span. A client that
// traces, too, has its own span above.
func identify(o *Options, res *response, r *http.Request) (*http.Request, trace.Span) {
	id := r.Header.Get(headerRequestID)
	if !requestID.MatchString(id) {
		id = rand.Text()
	}
	res.Header()[headerRequestID] = []string{id}
	ctx := telemetry.With(r.Context(), telemetry.IDs{Request: id})
	if o.Tracer == nil {
		return r.WithContext(ctx), trace.SpanFromContext(ctx)
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	ctx, span := o.Tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", method(r)), attribute.String("belay.request.id", id)))
	return r.WithContext(ctx), span
}

// method is the method of a request, if it is one of HTTP's.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "_OTHER"
}

// conclude ends the span of a request and logs it. A request that nobody got an answer to has
// no status.
func conclude(o *Options, res *response, r *http.Request) {
	label := res.route.label()
	if res.span.IsRecording() {
		res.span.SetName(method(r) + " " + label)
		res.span.SetAttributes(attribute.String("http.route", label))
		if res.started() {
			res.span.SetAttributes(attribute.Int("http.response.status_code", res.status))
		}
		if res.status >= http.StatusInternalServerError {
			telemetry.Fail(res.span, http.StatusText(res.status))
		}
	}
	res.span.End()
	o.Logger.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("method", method(r)), slog.String("route", label),
		slog.Int("status", res.status), slog.Float64("ms", float64(time.Since(res.arrived).Microseconds())/1000))
}
