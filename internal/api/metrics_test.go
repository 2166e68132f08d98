package api_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/event"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	m := api.NewMetrics("1.2.3")
	engine := &apitest.Engine{}
	base := "http://" + start(t, engine, api.Options{Metrics: m})
	exit := func(code string) event.Event {
		return event.Event{Type: event.ProcessExit, Data: json.RawMessage(`{"exitCode":` + code + `}`)}
	}
	m.Observe("s0", []event.Event{exit("1")}) // of a turn that another process left behind
	m.Observe("s1", []event.Event{{Type: event.SessionInit}, {Type: event.ChatDelta}, exit("0")})
	m.Observe("s2", []event.Event{{Type: event.SessionInit}, exit("130"), {Type: event.SessionInit}, exit("99"), {Type: event.SessionInit}})

	res := request(t, base, "POST", "/api/harness/turn", `{"sessionId":"s1","message":"x"}`, nil)
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	request(t, base, "GET", "/api/harness/session/nobody", "", nil)
	request(t, base, "GET", "/some/stranger's/path", "", nil)
	var text string
	eventually(t, "the stream is counted as closed", func() bool {
		data, err := io.ReadAll(request(t, base, "GET", "/metrics", "", nil).Body)
		text = string(data)
		return err == nil && strings.Contains(text, "belay_streams_open 0\n")
	})
	for _, line := range []string{
		"belay_turns_started_total 4",
		"belay_turns_running 1",
		`belay_turns_ended_total{exit="0"} 1`,
		`belay_turns_ended_total{exit="1"} 1`,
		`belay_turns_ended_total{exit="130"} 1`,
		`belay_turns_ended_total{exit="other"} 1`,
		"belay_stream_events_total 6",
		`belay_http_requests_total{route="startTurn",status="2xx"} 1`,
		`belay_http_requests_total{route="getSession",status="4xx"} 1`,
		`belay_http_requests_total{route="other",status="4xx"} 1`,
		`belay_http_first_byte_seconds_count{route="startTurn"} 1`,
		`belay_build_info{version="1.2.3"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q", line)
		}
	}
	if strings.Contains(text, "stranger") || strings.Contains(text, "nobody") {
		t.Error("a label has a value of a caller's")
	}
	if !strings.Contains(text, "go_goroutines ") {
		t.Error("the runtime's own numbers are missing")
	}
}
