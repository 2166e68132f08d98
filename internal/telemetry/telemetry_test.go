package telemetry_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"belay/internal/fault"
	"belay/internal/redact"
	"belay/internal/telemetry"
)

// A line has the ids of its context, and a secret in no form.
func TestLines(t *testing.T) {
	t.Parallel()
	const key = `sec"ret-value-0123`
	ctx := telemetry.With(t.Context(), telemetry.IDs{Request: "r1", Session: "s1"})
	ctx = telemetry.With(ctx, telemetry.IDs{Turn: "t1"})
	for _, format := range []telemetry.Format{telemetry.Text, telemetry.JSON} {
		var out bytes.Buffer
		log := telemetry.NewLogger(&out, telemetry.LogOptions{Format: format, Redact: redact.New(key)}).With("part", key)
		log.ErrorContext(ctx, "it failed: "+key, "error", errors.New("call "+key), "more", base64.StdEncoding.EncodeToString([]byte(key)))
		log.DebugContext(ctx, "nobody reads this")
		if n := strings.Count(out.String(), "\n"); n != 1 {
			t.Errorf("%s: %d lines: %s", format, n, &out)
		}
		if strings.Contains(out.String(), "ret-value") || !strings.Contains(out.String(), redact.Placeholder) {
			t.Errorf("%s: the secret is in %s", format, &out)
		}
		if format == telemetry.JSON {
			var got map[string]any
			if err := json.Unmarshal(out.Bytes(), &got); err != nil || got["request"] != "r1" || got["session"] != "s1" || got["turn"] != "t1" {
				t.Errorf("%v: %v", err, got)
			}
		} else if !strings.Contains(out.String(), "request=r1 session=s1 turn=t1") {
			t.Errorf("the line is %s", &out)
		}
	}
}

// Spans nest by their context, also over the end of a request; without a trace they do
// nothing. The text of an error is in none.
func TestSpans(t *testing.T) {
	t.Parallel()
	kept := tracetest.NewInMemoryExporter()
	tracer := sdk.NewTracerProvider(sdk.WithSyncer(kept)).Tracer("test")
	if _, span := telemetry.Start(t.Context(), "alone"); span.IsRecording() {
		t.Error("a span without a trace records")
	}
	if _, span := telemetry.Begin(t.Context(), nil, "alone"); span.IsRecording() {
		t.Error("a span without a tracer records")
	}
	request, cancel := context.WithCancel(telemetry.With(t.Context(), telemetry.IDs{Request: "r1"}))
	request, above := telemetry.Begin(request, tracer, "request")
	work := telemetry.Carry(context.Background(), request)
	cancel()
	if work.Err() != nil || telemetry.From(work).Request != "r1" {
		t.Errorf("what outlives the request: %v, %+v", work.Err(), telemetry.From(work))
	}
	work, span := telemetry.Begin(work, tracer, "turn")
	_, inner := telemetry.Start(work, "call")
	telemetry.End(inner, fmt.Errorf("read /secret/path: %w", fault.New(fault.StorageFailure, "of /secret/path")))
	telemetry.End(span, context.Canceled)
	telemetry.End(above, nil)
	var names []string
	parents := map[string]trace.SpanID{}
	ids := map[string]trace.SpanID{}
	for _, s := range kept.GetSpans() {
		names = append(names, s.Name+" "+s.Status.Description)
		parents[s.Name], ids[s.Name] = s.Parent.SpanID(), s.SpanContext.SpanID()
		if strings.Contains(fmt.Sprint(s), "/secret") {
			t.Errorf("a span has the text of an error: %v", s)
		}
	}
	if got := strings.Join(names, ", "); got != "call STORAGE_FAILURE, turn canceled, request " {
		t.Errorf("the spans are %q", got)
	}
	if parents["call"] != ids["turn"] || parents["turn"] != ids["request"] || parents["request"].IsValid() {
		t.Errorf("parents %v of %v", parents, ids)
	}
}
