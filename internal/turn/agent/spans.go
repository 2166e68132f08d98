package agent

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"belay/internal/telemetry"
)

// span begins a span of the agent's work: below that of the turn or, for a delegated agent,
// of the call that started it.
func (a *Run) span(name string, attrs ...attribute.KeyValue) (context.Context, trace.Span) {
	ctx := a.Context
	if a.above != nil {
		ctx = trace.ContextWithSpan(ctx, a.above)
	}
	return telemetry.Start(ctx, name, attrs...)
}

// begin begins the span of a tool call, once.
func (c *toolCall) begin() {
	if c.span == nil {
		name := c.name
		if _, known := c.run.Tools.Canonical(name); !known {
			name = "unknown" // the model made it up
		}
		_, c.span = c.run.span("execute_tool", attribute.String("gen_ai.tool.name", name))
	}
}

// traced is ctx with the span of the call.
func (c *toolCall) traced(ctx context.Context) context.Context {
	if c.span == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, c.span)
}

// endSpan ends the span of a call, however far it came.
func (c *toolCall) endSpan() {
	if c.span == nil {
		return
	}
	c.span.SetAttributes(attribute.String("belay.tool.outcome", string(c.outcome)), attribute.Bool("belay.tool.failed", c.result.Failed))
	telemetry.End(c.span, c.err)
}
