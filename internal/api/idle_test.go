package api_test

import (
	"bufio"
	"runtime"
	"testing"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/turn"
)

// BenchmarkIdleStream reports what an open stream that waits for events costs the
// process, with net/http's own buffers and goroutines. The target is 64 KiB.
func BenchmarkIdleStream(b *testing.B) {
	engine := &apitest.Engine{}
	h := api.New(api.Options{Engine: engine})
	address := serve(b, h)[len("http://"):]
	defer h.EndStreams()
	if _, err := engine.Create(b.Context(), turn.CreateRequest{ProjectRoot: "/project"}); err != nil {
		b.Fatal(err)
	}
	const streams = 500
	before := inUse()
	for range streams {
		conn := dial(b, address, "GET", "/api/harness/session/s1/events", "")
		readUntil(b, bufio.NewReaderSize(conn, 16), "text/event-stream")
	}
	b.ReportMetric(float64(inUse()-before)/streams, "B/stream")
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
