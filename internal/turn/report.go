package turn

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"belay/internal/telemetry"
)

// report ends the turn's span, and logs how the turn ended, nil where another process goes
// on with it. It comes before process:exit, so who has seen the end finds the line, and only
// the first call counts. Nothing that people or models wrote is in either.
func (t *turn) report(o *outcome) {
	if t.reported {
		return
	}
	t.reported = true
	span, used := trace.SpanFromContext(t.Context), t.Spent.Totals
	attrs := []slog.Attr{
		slog.Float64("ms", float64(t.Clock().Sub(t.began).Microseconds())/1000), slog.Int64("inputTokens", used.InputTokens), slog.Int64("outputTokens", used.OutputTokens),
	}
	span.SetAttributes(attribute.String("belay.turn.id", t.ID), attribute.String("belay.request.id", telemetry.From(t.Context).Request),
		attribute.String("belay.mode", t.main.Settings.Mode),
		attribute.Int64("gen_ai.usage.input_tokens", used.InputTokens), attribute.Int64("gen_ai.usage.output_tokens", used.OutputTokens))
	said := "turn left to the next process"
	if o != nil {
		said = "turn ended"
		attrs = append(attrs, slog.Int("exit", o.exit), slog.String("reason", o.Reason))
		span.SetAttributes(attribute.Int("belay.exit", o.exit), attribute.String("belay.stop_reason", o.Reason))
		if o.err != nil {
			attrs = append(attrs, slog.String("type", string(o.err.Type)))
			telemetry.Fail(span, string(o.err.Type))
		}
	}
	span.End()
	if t.Logger != nil {
		// The logger has the ids already.
		t.Logger.LogAttrs(trace.ContextWithSpan(context.Background(), span), slog.LevelInfo, said, attrs...)
	}
}
