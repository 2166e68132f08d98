package bus

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
	"belay/internal/event"
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

// paced calls turn b.N times at the rate of a busy server, 1,500 turns a second.
func paced(b *testing.B, turn func(i int)) {
	start := time.Now()
	for i := range b.N {
		if due := start.Add(time.Duration(i) * time.Second / 1500); time.Until(due) > time.Millisecond {
			time.Sleep(time.Until(due))
		}
		turn(i)
	}
}

// flatOut calls turn b.N times.
func flatOut(b *testing.B, turn func(i int)) {
	for i := range b.N {
		turn(i)
	}
}

func benchSession(turn int) string { return fmt.Sprintf("session-%d", turn%50) }

// BenchmarkPublisher is from the news to the confirmed message: 6 events a turn
// in 50 sessions.
func BenchmarkPublisher(b *testing.B) {
	for name, drive := range map[string]func(*testing.B, func(int)){"full": flatOut, "paced": paced} {
		b.Run(name, func(b *testing.B) {
			bus, src := openBus(b, Options{}), newLogs()
			p := openPublisher(b, bus, src)
			perEvent(b, 6*b.N, func() {
				drive(b, func(i int) { p.Observe(benchSession(i), src.append(benchSession(i), 6)) })
				closeIt(b, p.Close)
			})
		})
	}
}

// BenchmarkBareAsync is what the client library alone does with the same
// messages: js.PublishMsgAsync in a loop, one confirmation each.
func BenchmarkBareAsync(b *testing.B) {
	for name, drive := range map[string]func(*testing.B, func(int)){"full": flatOut, "paced": paced} {
		b.Run(name, func(b *testing.B) {
			bus, src := openBus(b, Options{}), newLogs()
			js, err := jetstream.New(bus.nc, jetstream.WithPublishAsyncMaxPending(1024))
			if err != nil {
				b.Fatal(err)
			}
			perEvent(b, 6*b.N, func() {
				drive(b, func(i int) {
					for _, ev := range src.append(benchSession(i), 6) {
						publishBare(b, js, benchSession(i), ev)
					}
				})
				<-js.PublishAsyncComplete()
			})
		})
	}
}

func publishBare(b *testing.B, js jetstream.JetStream, session string, ev event.Event) {
	d := newDraft(session, "evt.agent.output.delta.text", ev, 1<<20)
	var m nats.Msg
	d.fill(&m)
	if _, err := js.PublishMsgAsync(&m, jetstream.WithStallWait(deadline)); err != nil {
		b.Fatal(err)
	}
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
