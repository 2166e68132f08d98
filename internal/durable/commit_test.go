package durable

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// gate is a file whose flush begins and ends when the test says so.
type gate struct {
	begun chan struct{}
	end   chan error
}

func newGate() *gate { return &gate{make(chan struct{}, 100), make(chan error)} }

func (g *gate) Sync() error {
	g.begun <- struct{}{}
	return <-g.end
}

func TestCommitFlushesRealFiles(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	must(t, err)
	c := NewCommitter(0)
	must(t, c.Commit(context.Background(), f, f))
	must(t, f.Close())
	if err := c.Commit(context.Background(), f); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file gave %v", err)
	}
	must(t, c.Close())
	if err := c.Commit(context.Background(), f); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed committer gave %v", err)
	}
}

// Never more flushes at once than allowed, and everyone is served.
func TestCommitIsBounded(t *testing.T) {
	t.Parallel()
	c := NewCommitter(3)
	var (
		mu        sync.Mutex
		now, most int
		wg        sync.WaitGroup
	)
	for range 50 {
		wg.Go(func() {
			err := c.Commit(context.Background(), syncer(func() error {
				mu.Lock()
				now++
				most = max(most, now)
				mu.Unlock()
				mu.Lock()
				now--
				mu.Unlock()
				return nil
			}))
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	must(t, c.Close())
	if most > 3 {
		t.Errorf("%d flushes at once, want at most 3", most)
	}
}

type syncFunc struct{ f func() error }

func syncer(f func() error) *syncFunc { return &syncFunc{f} }
func (s *syncFunc) Sync() error       { return s.f() }

// Who asks while a file waits joins its flush; who asks while it is flushed gets
// another one, because the first may not have seen the newest bytes.
func TestCommitJoinsWaitingFlushes(t *testing.T) {
	t.Parallel()
	c := NewCommitter(1)
	busy, file := newGate(), newGate()
	results := make(chan error, 10)
	commit := func(s Syncer) { go func() { results <- c.Commit(context.Background(), s) }() }

	commit(busy)
	<-busy.begun // the only worker is taken
	var jobs []*flush
	c.mu.Lock()
	jobs = append(jobs, c.enqueue(file), c.enqueue(file))
	c.mu.Unlock()
	if jobs[0] != jobs[1] {
		t.Fatal("two requests for a waiting file are two flushes")
	}
	busy.end <- nil
	must(t, <-results)
	<-file.begun // it is being flushed
	c.mu.Lock()
	later := c.enqueue(file)
	c.mu.Unlock()
	if later == jobs[0] {
		t.Fatal("a request during the flush joined it")
	}
	file.end <- nil
	<-jobs[0].done
	<-file.begun
	file.end <- errors.New("disk on fire")
	<-later.done
	if jobs[0].err != nil || later.err == nil {
		t.Errorf("errors %v and %v, want none and one", jobs[0].err, later.err)
	}
	must(t, c.Close())
}

func TestCommitHonoursItsContext(t *testing.T) {
	t.Parallel()
	c := NewCommitter(1)
	g := newGate()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- c.Commit(ctx, g) }()
	<-g.begun
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	g.end <- nil
	must(t, c.Close())
}
