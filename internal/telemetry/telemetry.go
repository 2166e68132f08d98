// Package telemetry is what those see who run belay: log lines and traces, tied together
// by the ids of request, session and turn.
//
// [NewLogger] writes lines for people or for programs. [Open] sends traces to a collector
// by OTLP over HTTP; it is off unless a setting asks for it. Neither carries what people
// and models write, names of files, or keys: spans have ids, counts, names of tools and
// models, and types of errors.
//
// Spans are started from a context alone: [Start] makes a child of the span in the context,
// and nothing where there is none. Only a package where a trace begins needs a tracer
// ([Begin]). Work that outlives a request keeps its ids and its span
// with [Carry].
package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// IDs name what a log line or a span is about. Empty ones are not known.
type IDs struct{ Request, Session, Turn string }

type idsKey struct{}

// With returns a context with further ids; those that are empty stay as they are.
func With(ctx context.Context, more IDs) context.Context {
	ids := From(ctx)
	if more.Request != "" {
		ids.Request = more.Request
	}
	if more.Session != "" {
		ids.Session = more.Session
	}
	if more.Turn != "" {
		ids.Turn = more.Turn
	}
	return context.WithValue(ctx, idsKey{}, ids)
}

// From returns the ids of a context.
func From(ctx context.Context) IDs {
	ids, _ := ctx.Value(idsKey{}).(IDs)
	return ids
}

// Carry returns to with the ids and the span of from: for work that outlives a request.
func Carry(to, from context.Context) context.Context {
	to = context.WithValue(to, idsKey{}, From(from))
	return trace.ContextWithSpan(to, trace.SpanFromContext(from))
}
