package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"belay/bench/measure"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
	"belay/internal/attachment/gather"
	"belay/internal/netguard"
)

// What is fetched: small pages from a server that takes its time, as many at once
// as belay's default.
const (
	fetchCount    = 200
	fetchLatency  = 20 * time.Millisecond
	fetchParallel = 8
	fetchBytes    = 10_000
	hugeBytes     = 256 << 20
)

// workflowFetch measures downloads beside a client that does nothing else, and the
// memory that a large one takes.
func (b *bench) workflowFetch(ctx context.Context) ([]measure.Figure, error) {
	page := strings.Repeat("page ", fetchBytes/5)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, _ := strconv.Atoi(r.URL.Query().Get("bytes")); n > 0 {
			sendHuge(w, n)
			return
		}
		time.Sleep(fetchLatency)
		_, _ = io.WriteString(w, page) // who went away has no answer
	}))
	defer server.Close()
	downloads, err := b.downloads()
	if err != nil {
		return nil, err
	}
	defer func() { _ = downloads.Close() }() // the bench's folder goes as a whole
	g := gather.New(gather.Options{Downloads: downloads})
	list := make([]*declared.Attachment, fetchCount)
	for i := range list {
		list[i] = &declared.Attachment{Type: declared.TypeURL, Source: declared.Source{URL: fmt.Sprintf("%s/%d", server.URL, i)}, Fetch: true}
	}
	var all measure.Series
	for round := range b.o.Rounds + 1 {
		plain, err := elapsed(func() error { return fetchPlainly(ctx, server.URL) })
		if err != nil {
			return nil, err
		}
		took, err := elapsed(func() error {
			r, err := g.Gather(ctx, nil, list, hashes{})
			if err == nil && len(r.Items) != fetchCount {
				err = fmt.Errorf("%d items", len(r.Items))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if round > 0 {
			all.AddBoth(plain, took)
		}
	}
	bound := ms(fetchLatency * fetchCount / fetchParallel)
	m := all.Figure("workflow", "200 downloads with 20 ms latency, 8 at a time", "ms", measure.AtMostTimes(1.1))
	m.Note = fmt.Sprintf("beside an http.Client that throws away what it reads; the latency alone is %.0f ms", bound)
	memory, err := fetchMemory(ctx, downloads, server.URL)
	return []measure.Figure{m, memory}, err
}

// fetchPlainly fetches the same pages, as many at a time.
func fetchPlainly(ctx context.Context, address string) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: fetchParallel}}
	defer client.CloseIdleConnections()
	var group errgroup.Group
	group.SetLimit(fetchParallel)
	for i := range fetchCount {
		group.Go(func() error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/%d", address, i), nil)
			if err != nil {
				return err
			}
			res, err := client.Do(req)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, res.Body)
			return errors.Join(err, res.Body.Close())
		})
	}
	return group.Wait()
}

// downloads fetches from servers of this machine.
func (b *bench) downloads() (*download.Downloads, error) {
	return download.New(download.Options{
		Dir: filepath.Join(b.dir, "downloads"), ItemBytes: 2 * hugeBytes, Parallel: fetchParallel, Timeout: time.Minute,
		Policy: netguard.Policy{AllowHTTP: true, AnyPort: true, Internal: []string{"127.0.0.1"}},
	})
}

// sendHuge writes a body of n bytes.
func sendHuge(w http.ResponseWriter, n int) {
	w.Header().Set("Content-Length", strconv.Itoa(n))
	chunk := make([]byte, 64<<10)
	for n > 0 {
		sent, err := w.Write(chunk[:min(n, len(chunk))])
		if err != nil {
			return
		}
		n -= sent
	}
}

// fetchMemory is how much more heap a download of 256 MiB takes at its most than one
// of a 256th of it, in this process, the server's part included.
func fetchMemory(ctx context.Context, d *download.Downloads, address string) (measure.Figure, error) {
	peak := func(n int) (float64, error) {
		begin, stop := heap(), make(chan struct{})
		var most uint64
		var watch sync.WaitGroup
		watch.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
					most = max(most, heap())
				}
			}
		})
		f, err := d.Fetch(ctx, address+"/?bytes="+strconv.Itoa(n))
		close(stop)
		watch.Wait()
		if err != nil {
			return 0, err
		}
		return megabytes(int64(max(most, begin) - begin)), f.Close()
	}
	var s measure.Series
	for range 3 {
		small, err := peak(hugeBytes / 256)
		large, err2 := peak(hugeBytes)
		if err := errors.Join(err, err2); err != nil {
			return measure.Figure{}, err
		}
		s.AddBoth(small, large)
	}
	m := s.Figure("workflow", "memory that a download of 256 MiB takes", "MB", measure.AtMost(8))
	m.Note = "beside one of 1 MiB"
	return m, nil
}

// heap is what the process's objects take, in bytes.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
