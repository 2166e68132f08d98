package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"belay/internal/redact"
)

// Format is how log lines are written.
type Format string

// The formats of log lines.
const (
	// Text is key=value, for people.
	Text Format = "text"
	// JSON is one object on a line, for programs.
	JSON Format = "json"
)

// LogOptions are those of [NewLogger]. The zero value writes text from level info on.
type LogOptions struct {
	Format Format
	Level  slog.Level
	// Redact takes secrets out of whole lines; nil replaces what looks like a key.
	Redact *redact.Redactor
}

// NewLogger returns a logger that writes a line for each record with one call of w. A line
// has the ids of its context, and of its span if that is traced.
func NewLogger(w io.Writer, o LogOptions) *slog.Logger {
	clean := redacting{w, o.Redact}
	ho := &slog.HandlerOptions{Level: o.Level}
	if o.Format == JSON {
		return slog.New(identified{slog.NewJSONHandler(clean, ho)})
	}
	return slog.New(identified{slog.NewTextHandler(clean, ho)})
}

// redacting takes secrets out of lines, in each form in which a value can stand in them.
type redacting struct {
	w     io.Writer
	clean *redact.Redactor
}

// Write implements io.Writer.
func (r redacting) Write(p []byte) (int, error) {
	if _, err := io.WriteString(r.w, r.clean.String(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// identified adds the ids of a record's context.
type identified struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h identified) Handle(ctx context.Context, r slog.Record) error {
	ids := From(ctx)
	for _, id := range []struct{ key, value string }{{"request", ids.Request}, {"session", ids.Session}, {"turn", ids.Turn}} {
		if id.value != "" {
			r.AddAttrs(slog.String(id.key, id.value))
		}
	}
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		r.AddAttrs(slog.String("trace", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h identified) WithAttrs(as []slog.Attr) slog.Handler {
	return identified{h.Handler.WithAttrs(as)}
}

// WithGroup implements [slog.Handler].
func (h identified) WithGroup(name string) slog.Handler { return identified{h.Handler.WithGroup(name)} }
