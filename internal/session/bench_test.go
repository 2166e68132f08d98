package session

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"belay/internal/event"
)

// BenchmarkAcquireRelease is what a turn pays for the right to write when the
// same process wrote last.
func BenchmarkAcquireRelease(b *testing.B) {
	w := newWorld(b)
	id := w.session().SessionID
	turn(b, w.Store, id, "first", 10)
	b.ReportAllocs()
	for b.Loop() {
		must(b, acquire(b, w.Store, id).Release())
	}
}

func BenchmarkTurn(b *testing.B) {
	w := newWorld(b)
	id := w.session().SessionID
	b.ReportAllocs()
	for b.Loop() {
		l := acquire(b, w.Store, id)
		must(b, l.Begin("t"))
		must(b, l.Append(Entry{Kind: EntryTurn, Turn: "t", Message: "hello"}))
		emit(b, l, "t", event.SessionInit, event.Init{TurnID: "t"})
		emit(b, l, "t", event.ChatDelta, event.Text{Text: "twenty bytes of text"})
		emit(b, l, "t", event.ProcessExit, event.Exit{})
		must(b, l.Append(Entry{Kind: EntryEnd, Turn: "t"}))
		must(b, l.Commit(context.Background()))
		must(b, l.Release())
	}
}

func BenchmarkEmit(b *testing.B) {
	for _, readers := range []int{0, 1, 50} {
		b.Run(fmt.Sprintf("readers=%d", readers), func(b *testing.B) {
			w := newWorld(b)
			id := w.session().SessionID
			l := acquire(b, w.Store, id)
			defer func() { must(b, l.Release()) }()
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan struct{}, readers)
			for range readers {
				r := open(b, w.Store, id, 0)
				go func() {
					defer func() { done <- struct{}{} }()
					for {
						if _, err := r.Next(ctx); err != nil {
							return
						}
					}
				}()
			}
			d := event.Draft{Type: event.ChatDelta, Data: event.Text{Text: "twenty bytes of text"}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Emit("t", d); err != nil {
					b.Fatal(err)
				}
			}
			cancel()
			for range readers {
				<-done
			}
		})
	}
}

// BenchmarkPut stores 18 MiB, the most that a turn may attach, new and known.
func BenchmarkPut(b *testing.B) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 18<<16)
	for _, known := range []bool{false, true} {
		b.Run(fmt.Sprintf("known=%v", known), func(b *testing.B) {
			w := newWorld(b)
			blobs, err := w.Blobs(w.project)
			must(b, err)
			b.SetBytes(int64(len(data)))
			var n uint64
			for b.Loop() {
				if !known {
					n++
					copy(data, fmt.Sprintf("%016x", n))
				}
				if _, _, err := blobs.Put(context.Background(), bytes.NewReader(data), 64<<20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReaders is the log of one turn on its way to 200 readers that follow it while
// it is written, in answers of some pieces each.
func BenchmarkReaders(b *testing.B) {
	const readers, events, together = 200, 2000, 4
	w := newWorld(b)
	var took time.Duration
	for range b.N {
		id := w.session().SessionID
		l := acquire(b, w.Store, id)
		var reading sync.WaitGroup
		begun := time.Now()
		for range readers {
			r := open(b, w.Store, id, 0)
			reading.Go(func() {
				for n := 0; n < events; {
					got, err := r.Next(b.Context())
					if err != nil {
						b.Error(err)
						return
					}
					n += len(got)
				}
			})
		}
		d := event.Draft{Type: event.ChatDelta, Data: event.Text{Text: "twenty bytes of text"}}
		for range events / together {
			if _, err := l.Emit("t", d, d, d, d); err != nil {
				b.Fatal(err)
			}
		}
		reading.Wait()
		took += time.Since(begun)
		must(b, l.Release())
	}
	b.ReportMetric(float64(b.N*readers*events)/took.Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}
