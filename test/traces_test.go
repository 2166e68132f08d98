package test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is a collector of traces, as OTLP over HTTP describes it.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*otlp.Span
	// raw is all that it was sent, about what the spans are of.
	raw     []byte
	service string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		data, err := io.ReadAll(req.Body)
		var sent collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(data, &sent)
		}
		if err != nil || req.URL.Path != "/v1/traces" || req.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %s %q: %v", req.Method, req.URL, req.Header, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.raw = append(r.raw, data...)
		for _, resource := range sent.ResourceSpans {
			for _, about := range resource.Resource.Attributes {
				if about.Key == "service.name" {
					r.service = about.Value.GetStringValue()
				}
			}
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
		answer, _ := proto.Marshal(&collector.ExportTraceServiceResponse{})
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(answer)
	}))
	t.Cleanup(r.Close)
	return r
}

// tracing is the environment of a process that sends its traces there.
func tracing(url string) []string {
	return []string{"BELAY_TELEMETRY_TRACES=true", "OTEL_EXPORTER_OTLP_ENDPOINT=" + url, "OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_SERVICE_NAME=belay-test"}
}

// path is the names of a span and of those above it.
func (r *receiver) path(s *otlp.Span) string {
	for _, above := range r.spans {
		if slices.Equal(above.SpanId, s.ParentSpanId) {
			return r.path(above) + " > " + s.Name
		}
	}
	return s.Name
}

// attribute is the text or the number of an attribute of a span.
func attribute(s *otlp.Span, key string) any {
	for _, a := range s.Attributes {
		if a.Key == key {
			if text := a.Value.GetStringValue(); text != "" {
				return text
			}
			return a.Value.GetIntValue()
		}
	}
	return nil
}

// A turn over HTTP is one trace, from the request down to the changes of files, with the
// ids of request, session and turn, and without anything that somebody wrote.
func TestTraces(t *testing.T) {
	t.Parallel()
	const key, message = "sk-ant-REDACTED", "a-message-that-stays-here"
	r := newReceiver(t)
	script := filepath.Join(t.TempDir(), "script.yaml")
	must(t, os.WriteFile(script, []byte(deciding), 0o600))
	p := newPlace(t, append(tracing(r.URL), "BELAY_SCRIPTED_SCRIPT="+script, "ANTHROPIC_API_KEY="+key)...)
	p.file("notes.md", "# Notes\nalpha\nbeta\n")
	s := p.serve()
	id := s.session()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	stream := s.open(t.Context(), "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": message, "attachments": []string{filepath.Join(p.project, "notes.md")}}),
		"X-Request-Id", "my-request", "Traceparent", parent)
	if got := stream.Header.Get("X-Request-Id"); got != "my-request" {
		t.Errorf("the answer is to request %q", got)
	}
	p.answer("edit")
	p.answer("bash")
	if exit := last(t, events(t, stream.Body)); exit.data["exitCode"] != 0.0 {
		t.Fatalf("the turn ended with %v", exit.data)
	}
	turn := s.turnOf(id)
	s.stop()

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.service != "belay-test" {
		t.Errorf("the spans are of the service %q", r.service)
	}
	const root = "POST startTurn > turn"
	got := map[string]int{}
	for _, span := range r.spans {
		if hex.EncodeToString(span.TraceId) != strings.Split(parent, "-")[1] {
			continue // of another request
		}
		path := r.path(span)
		got[path]++
		if span.EndTimeUnixNano < span.StartTimeUnixNano {
			t.Errorf("%s ends before it begins", path)
		}
		switch span.Name {
		case "POST startTurn":
			if hex.EncodeToString(span.ParentSpanId) != strings.Split(parent, "-")[2] || attribute(span, "http.response.status_code") != int64(200) || attribute(span, "belay.request.id") != "my-request" {
				t.Errorf("the request is %v", span)
			}
		case "turn":
			for name, want := range map[string]any{"belay.session.id": id, "belay.turn.id": turn, "belay.request.id": "my-request", "belay.exit": int64(0), "belay.stop_reason": "end_turn"} {
				if have := attribute(span, name); have != want {
					t.Errorf("the turn's %s is %v, want %v", name, have, want)
				}
			}
		case "chat":
			if attribute(span, "gen_ai.provider.name") != "scripted" || attribute(span, "gen_ai.usage.output_tokens") == int64(0) {
				t.Errorf("a call of the model is %v", span)
			}
		}
	}
	for path, least := range map[string]int{
		"POST startTurn": 1, root: 1, root + " > queue": 1, root + " > attachments": 1, root + " > prompt.plan": 1, root + " > chat": 3,
		root + " > execute_tool": 3, root + " > execute_tool > permission": 2, root + " > execute_tool > changes.apply": 1,
	} {
		if got[path] < least {
			t.Errorf("%d spans are %s, want %d; there are %v", got[path], path, least, got)
		}
	}
	for _, secret := range []string{key, message, "notes.md", "loud.txt", "gamma", "alpha", p.project, "Let me look"} {
		if strings.Contains(string(r.raw), secret) {
			t.Errorf("the traces have %q", secret)
		}
	}
}

// A collector that hangs, or that nobody runs, costs a turn nothing; the end of the server
// waits for it for a moment only. Without the setting nothing is sent.
func TestACollectorThatHangs(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 100)
	over := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-over
	}))
	defer hanging.Close()
	defer close(over)
	for name, url := range map[string]string{"hangs": hanging.URL, "is down": "http://127.0.0.1:9"} {
		s := newPlace(t, tracing(url)...).serve()
		id := s.session()
		for i := range 3 {
			if name == "hangs" && i == 1 {
				<-asked // from here on it hangs
			}
			if exit := last(t, s.turn(map[string]any{"sessionId": id, "message": "hello"})); exit.data["exitCode"] != 0.0 {
				t.Errorf("%s: the turn ended with %v", name, exit.data)
			}
		}
		begun := time.Now()
		s.stop()
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%s: the server took %v to stop", name, took)
		}
		if strings.Contains(s.err.String(), "traces") {
			t.Errorf("%s: the server says at level info: %s", name, s.err)
		}
	}
	p := newPlace(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+hanging.URL)
	for len(asked) > 0 {
		<-asked
	}
	out, err := p.command("turn", "hello").CombinedOutput()
	if err != nil || len(asked) > 0 {
		t.Errorf("without the setting: %v, %d requests to the collector\n%s", err, len(asked), out)
	}
}

// A command that takes a turn by itself sends its trace before it ends.
func TestTraceOfACommand(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	out, err := newPlace(t, tracing(r.URL)...).command("turn", "hello").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, span := range r.spans {
		names = append(names, r.path(span))
	}
	if !slices.Contains(names, "turn") || !slices.Contains(names, "turn > chat") {
		t.Errorf("the spans are %q", names)
	}
}
