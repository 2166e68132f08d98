package bus

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"belay/internal/bus/contract"
)

// perEvent reports the time and the processor time of one event.
func perEvent(b *testing.B, events int, run func()) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	cpu, wall := cpuTime(), time.Now()
	run()
	b.StopTimer()
	n := float64(events)
	b.ReportMetric(float64(cpuTime()-cpu)/n, "cpu-ns/event")
	b.ReportMetric(n/time.Since(wall).Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOutputReaders is the output of one request on its way to 200 readers, each
// with its own consumer, from the first message to the last.
func BenchmarkOutputReaders(b *testing.B) {
	const readers, events = 200, 2000
	bus := openBus(b, Options{})
	box := NewOutbox(bus, contract.Envelope{Session: "s", Request: "r", Client: "discord"})
	for i := range events {
		var p contract.Payload = &contract.TextDelta{Delta: fmt.Sprintf("piece %d of an answer that is about this long", i)}
		if i == events-1 {
			p = &contract.ResponseText{State: contract.StateResolved}
		}
		if err := box.Publish(b.Context(), Place{Event: int64(i + 1)}, p); err != nil {
			b.Fatal(err)
		}
	}
	client := NewClient(bus, "discord")
	perEvent(b, b.N*readers*events, func() {
		for range b.N {
			var wg sync.WaitGroup
			for range readers {
				wg.Go(func() {
					n := 0
					for _, err := range client.Output(b.Context(), "s", "r", 0) {
						if err != nil {
							b.Error(err)
						}
						n++
					}
					if n != events {
						b.Errorf("a reader got %d of %d messages", n, events)
					}
				})
			}
			wg.Wait()
		}
	})
}
