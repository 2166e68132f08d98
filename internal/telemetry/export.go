package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// flushTime bounds how long the end of a process waits for spans that are not sent yet.
const flushTime = 2 * time.Second

// Traces sends spans to a collector. Spans wait in a bounded queue, from which a goroutine
// of its own sends them; where the queue is full, spans are dropped. So a collector that
// hangs or is down costs a turn nothing.
type Traces struct{ provider *sdk.TracerProvider }

// Open returns traces for the collector that the standard OTEL_* variables name, else for
// http://localhost:4318. The caller closes them. Failures to send are logged at level debug,
// for they repeat.
//
// The error handler of OpenTelemetry is one for the whole process; its own writes to stderr,
// in the middle of what a person reads there.
func Open(ctx context.Context, version string, log *slog.Logger) (*Traces, error) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Debug("send traces", "error", err) }))
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "belay"), attribute.String("service.version", version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, errors.Join(err, exporter.Shutdown(ctx))
	}
	return &Traces{sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))}, nil
}

// Tracer begins traces. Of nil traces it is nil, which [Begin] takes for none.
func (t *Traces) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer(scope)
}

// Close sends what waits, for at most two seconds, and ends the sending. What cannot be
// sent is lost.
func (t *Traces) Close(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // traces are no reason for a command to fail
}
