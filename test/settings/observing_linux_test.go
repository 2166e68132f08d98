package settings

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
)

// observing are the settings of log lines and traces.
var observing = map[string]check{
	"telemetry.log_format": {
		set: "json", shows: `\{"time":`, without: `time=`,
		see: func(b *bench) string { return b.logOfATurn() },
	},
	"telemetry.log_level": {
		set: "error", shows: `^no lines$`, without: `turn ended`,
		see: func(b *bench) string { return b.logOfATurn() },
	},
	"telemetry.traces": {
		set: "true", shows: `^traces came$`, without: `^no traces$`,
		see: func(b *bench) string {
			var came atomic.Bool
			collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came.Store(true) }))
			defer collector.Close()
			b.env = append(b.env, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
			b.run("turn", "hello")
			if came.Load() {
				return "traces came"
			}
			return "no traces"
		},
	},
}

// logOfATurn is what a server logs about a turn.
func (b *bench) logOfATurn() string {
	b.t.Helper()
	s := b.serve()
	s.ask("POST", "/api/harness/turn", turnRequest{SessionID: s.session(), Message: "hello"})
	s.stop()
	said := ""
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "level") { // not what is for people alone
			said += line
		}
	}
	return cmp.Or(said, "no lines")
}
