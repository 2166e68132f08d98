package download

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// 200 downloads from a server that takes 20 ms for each, beside what the bound on
// those at one time leaves at best, and beside a plain client that keeps nothing; all
// in one run, so that a busy machine is busy for all.
//
//	go test ./internal/attachment/download -run '^$' -bench Latency
func BenchmarkLatency(b *testing.B) {
	const files, latency, parallel = 200, 20 * time.Millisecond, 8
	url := serve(b, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(latency)
		_, _ = w.Write(make([]byte, 10_000))
	})
	d := downloads(b, Options{Parallel: parallel})
	plain := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallel}}
	defer plain.CloseIdleConnections()
	ours := func(address string) error {
		f, err := d.Fetch(b.Context(), address)
		if err != nil {
			return err
		}
		return f.Close()
	}
	theirs := func(address string) error {
		res, err := plain.Get(address)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
		return err
	}
	measure := func(get func(string) error, limit int) time.Duration {
		began := time.Now()
		var group errgroup.Group
		group.SetLimit(limit)
		for i := range files {
			group.Go(func() error { return get(fmt.Sprintf("%s/%d", url, i)) })
		}
		if err := group.Wait(); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	var downloads, reference time.Duration
	for b.Loop() {
		downloads += measure(ours, -1) // it holds itself to the bound
		reference += measure(theirs, parallel)
	}
	bound := files / parallel * latency
	b.ReportMetric(downloads.Seconds()*1000/float64(b.N), "ours-ms")
	b.ReportMetric(reference.Seconds()*1000/float64(b.N), "plain-ms")
	b.ReportMetric(bound.Seconds()*1000, "bound-ms")
	b.ReportMetric(float64(downloads)/float64(b.N)/float64(bound), "x-bound")
}

// Memory does not grow with the size of a download.
func BenchmarkMemory(b *testing.B) {
	url := serve(b, large)
	for _, size := range []int64{1 << 20, 16 << 20, 256 << 20} {
		b.Run(fmt.Sprintf("%dMiB", size>>20), func(b *testing.B) {
			d := downloads(b, Options{ItemBytes: size, Timeout: time.Minute})
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				f, err := d.Fetch(b.Context(), fmt.Sprintf("%s/%d", url, size))
				if err != nil {
					b.Fatal(err)
				}
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// large serves as many bytes as the path says.
func large(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.ParseInt(r.URL.Path[1:], 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Length", r.URL.Path[1:])
	_, _ = io.CopyBuffer(struct{ io.Writer }{w}, io.LimitReader(zeros{}, n), make([]byte, 64<<10))
}

// What a download allocates is the same for a small file and a large one.
func TestMemoryIsFlat(t *testing.T) {
	url := serve(t, large)
	d := downloads(t, Options{ItemBytes: 64 << 20, Timeout: 5 * time.Minute})
	allocated := func(size int64) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := d.Fetch(t.Context(), fmt.Sprintf("%s/%d", url, size))
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if f.Bytes != size {
			t.Errorf("%d bytes came, want %d", f.Bytes, size)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(1 << 10) // buffers that are kept
	if got := allocated(64 << 20); got > 2<<20 {
		t.Errorf("64 MiB took %d bytes of memory, and that is with the server", got)
	}
}
