package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"belay/internal/event"
)

// Metrics is what /metrics shows. Its registry is its own, so that two servers
// in one process do not share numbers. Labels have few values: a route's name,
// a class of status, an exit code.
type Metrics struct {
	registry *prometheus.Registry
	handler  http.Handler

	started prometheus.Counter
	running prometheus.Gauge
	exits   *prometheus.CounterVec

	streams       prometheus.Gauge
	events, bytes prometheus.Counter
	answers       *prometheus.CounterVec
	delay         *prometheus.HistogramVec
	// routes holds what is counted per route, looked up once.
	routes map[string]*routeMetrics

	mu sync.Mutex
	// turns are the sessions whose turn began here and has not ended: the end of
	// a turn that another process left behind is not the end of one of these.
	turns map[string]struct{}
}

// routeMetrics are one route's counters, by the first digit of the status.
type routeMetrics struct {
	answers [6]prometheus.Counter
	delay   prometheus.Observer
}

// NewMetrics returns counters for one server of the given version.
func NewMetrics(version string) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "belay", Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "belay", Name: name, Help: help})
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		started:  counter("turns_started_total", "Turns that were accepted."),
		running:  gauge("turns_running", "Turns that run now."),
		exits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "belay", Name: "turns_ended_total", Help: "Turns that ended, by exit code."}, []string{"exit"}),
		streams: gauge("streams_open", "Event streams that clients read now."),
		events:  counter("stream_events_total", "Events sent to clients."),
		bytes:   counter("stream_bytes_total", "Bytes of events sent to clients."),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "belay", Name: "http_requests_total", Help: "Requests answered, by route and class of status."}, []string{"route", "status"}),
		delay: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "belay", Name: "http_first_byte_seconds", Help: "Time from a request to the beginning of its answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}, []string{"route"}),
		routes: map[string]*routeMetrics{},
		turns:  map[string]struct{}{},
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "belay", Name: "build_info",
		Help: "Always 1; the label has the version.", ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	m.registry.MustRegister(m.started, m.running, m.exits, m.streams, m.events, m.bytes, m.answers, m.delay, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return m
}

// Registry lets other packages add their own collectors.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// Observe counts turns as their events are appended to a session's log, whoever
// started them. It is made to be a log's observer: it waits for nothing.
func (m *Metrics) Observe(sessionID string, events []event.Event) {
	for _, e := range events {
		switch e.Type {
		case event.SessionInit:
			m.started.Inc()
			m.runs(sessionID, true)
		case event.ProcessExit:
			m.runs(sessionID, false)
			m.exits.WithLabelValues(exitLabel(e.Data)).Inc()
		}
	}
}

// runs notes whether a session has a turn.
func (m *Metrics) runs(sessionID string, now bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now {
		m.turns[sessionID] = struct{}{}
	} else {
		delete(m.turns, sessionID)
	}
	m.running.Set(float64(len(m.turns)))
}

// exitLabel keeps the label to the exit codes that exist.
func exitLabel(data json.RawMessage) string {
	if string(data) == `{"exitCode":0}` {
		return "0" // almost every turn's, without a look at what it might say
	}
	var exit event.Exit
	if json.Unmarshal(data, &exit) == nil {
		switch exit.ExitCode {
		case 0, 1, 124, 130:
			return strconv.Itoa(exit.ExitCode)
		}
	}
	return "other"
}

// prepare looks up every route's counters.
func (m *Metrics) prepare(table []route) {
	add := func(label string) {
		rm := &routeMetrics{delay: m.delay.WithLabelValues(label)}
		for class := 1; class < len(rm.answers); class++ {
			rm.answers[class] = m.answers.WithLabelValues(label, strconv.Itoa(class)+"xx")
		}
		m.routes[label] = rm
	}
	for i := range table {
		add(table[i].label())
	}
	add((*route)(nil).label())
}

// request counts an answered request. Nothing was answered to a client that left
// too early.
func (m *Metrics) request(res *response) {
	if !res.started() {
		return
	}
	rm := m.routes[res.route.label()]
	rm.answers[min(res.status/100, 5)].Inc()
	rm.delay.Observe(res.first.Sub(res.arrived).Seconds())
}
