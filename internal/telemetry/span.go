package telemetry

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"belay/internal/fault"
)

// scope names what makes the spans.
const scope = "belay"

// Start begins a span below the one in ctx. Where there is none, or it is not recorded, the
// new one does nothing. The caller ends it.
func Start(ctx context.Context, name string, attrs ...attribute.KeyValue) (context.Context, trace.Span) {
	return trace.SpanFromContext(ctx).TracerProvider().Tracer(scope).Start(ctx, name, trace.WithAttributes(attrs...))
}

// Begin is [Start] where a trace may begin: without a span in ctx it begins one with
// tracer, which may be nil for none.
func Begin(ctx context.Context, tracer trace.Tracer, name string, attrs ...attribute.KeyValue) (context.Context, trace.Span) {
	if tracer == nil || trace.SpanContextFromContext(ctx).IsValid() {
		return Start(ctx, name, attrs...)
	}
	return tracer.Start(ctx, name, trace.WithAttributes(attrs...))
}

// End ends a span, as failed if err is not nil. Only the type of the error is recorded: its
// text may name files or repeat what somebody wrote.
func End(span trace.Span, err error) {
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		Fail(span, "canceled")
	default:
		Fail(span, string(fault.From(err).Type))
	}
	span.End()
}

// Fail marks a span as failed with a type of error.
func Fail(span trace.Span, kind string) {
	span.SetStatus(codes.Error, kind)
	span.SetAttributes(attribute.String("error.type", kind))
}
