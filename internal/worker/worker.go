// Package worker runs the requests that surfaces put on the bus as turns, and
// publishes what becomes of them.
//
// A [Worker] takes requests from the bus, gives them to a [turn.Engine], and
// answers the questions of surfaces (sessions, personas, decisions). The requests
// of a session run one after the other, in the order of the bus; sessions run at
// the same time. One goroutine publishes a request's output in the order of the
// session's log, so a file never overtakes a text.
//
// A request leaves the bus when its last message is published. The process may die
// between any two steps: the request is delivered again, its turn is found by the
// request's id, and the output goes on after its last message. A request that fails
// is tried again with growing delays, then it ends with the reason, and the bus
// keeps a dead letter.
//
// Specification: bus-discord, and docs/bus.md.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"belay/internal/bus"
	"belay/internal/bus/contract"
	"belay/internal/turn"
)

// attempts is how often a step of a request may fail for reasons that may pass.
const attempts = 5

// Options are the parts that a worker stands on.
type Options struct {
	Bus    *bus.Bus
	Engine turn.Engine
	Logger *slog.Logger
	Clock  func() time.Time
	// Backoff is the delay after so many failures of a step; nil is [bus.Backoff].
	Backoff func(failures int) time.Duration

	// step is called between the steps of a request, in tests.
	step func(name string)
}

// Worker runs requests. Its goroutines end with [Worker.Close].
type Worker struct {
	o    Options
	life context.Context
	end  context.CancelFunc
	// requests are the goroutines of lines and jobs, beats that of keepAlive.
	requests, beats sync.WaitGroup

	made creations

	stopRequests func()
	stopReplies  func() error
	drained      sync.Once

	mu       sync.Mutex
	draining bool
	lines    map[string]*line
	jobs     map[jobKey]*job
}

// jobKey names a request.
type jobKey struct{ session, request string }

// New starts a worker. The caller owns it and must close it before the bus.
func New(ctx context.Context, o Options) (*Worker, error) {
	if o.Backoff == nil {
		o.Backoff = bus.Backoff
	}
	if o.step == nil {
		o.step = func(string) {}
	}
	w := &Worker{o: o, lines: map[string]*line{}, jobs: map[jobKey]*job{}}
	w.life, w.end = context.WithCancel(context.WithoutCancel(ctx))
	var err error
	if w.stopReplies, err = o.Bus.Replies(replier{w}); err != nil {
		w.end()
		return nil, err
	}
	w.beats.Go(w.keepAlive)
	if w.stopRequests, err = o.Bus.Requests(ctx, w.take); err != nil {
		w.end()
		w.beats.Wait()
		return nil, errors.Join(err, w.stopReplies())
	}
	return w, nil
}

// take accepts a delivered request. One that is known already was only delivered
// again.
func (w *Worker) take(d *bus.Delivery) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.draining {
		_ = d.Release() // or it comes again by itself
		return
	}
	key := jobKey{d.Session, d.Envelope.Request}
	if j := w.jobs[key]; j != nil {
		j.redelivered(d)
		return
	}
	j := newJob(w, d)
	w.jobs[key] = j
	l := w.lines[d.Session]
	if l == nil {
		l = newLine(w, d.Session)
		w.lines[d.Session] = l
		w.requests.Go(l.run)
	}
	l.inbox = append(l.inbox, j)
	l.signal()
}

// forget drops a request that was dealt with.
func (w *Worker) forget(j *job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.jobs, j.key)
	j.cancel(nil)
}

// keepAlive tells the bus that requests are worked on.
func (w *Worker) keepAlive() {
	tick := time.NewTicker(bus.StillWorking)
	defer tick.Stop()
	for {
		select {
		case <-w.life.Done():
			return
		case <-tick.C:
		}
		w.mu.Lock()
		jobs := make([]*job, 0, len(w.jobs))
		for _, j := range w.jobs {
			jobs = append(jobs, j)
		}
		w.mu.Unlock()
		for _, j := range jobs {
			_ = j.held().Working() // without a connection it is delivered again, and known
		}
	}
}

// Drain takes no more requests, and gives those that have not begun back to the
// bus. Call it before the engine is closed.
func (w *Worker) Drain() {
	w.drained.Do(func() {
		w.stopRequests()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.draining = true
		for _, l := range w.lines {
			l.signal()
		}
	})
}

// Close drains the worker and waits until what runs has been published; when ctx is
// done it leaves the rest to the next worker.
func (w *Worker) Close(ctx context.Context) error {
	w.Drain()
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		w.requests.Wait()
	}()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	err := w.stopReplies()
	w.end()
	<-idle
	w.beats.Wait()
	return err
}

// isDraining reports whether no request may begin any more.
func (w *Worker) isDraining() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.draining
}

// publish publishes a signal about a request, until it is stored or ctx is done.
func (w *Worker) publish(ctx context.Context, e contract.Envelope, p contract.Payload) error {
	return w.persist(ctx, func() error { return w.o.Bus.Publish(ctx, e, p) })
}

// persist repeats what the bus refuses for reasons that may pass, until ctx is
// done: without the bus there is nothing else to do.
func (w *Worker) persist(ctx context.Context, do func() error) error {
	for failures := 1; ; failures++ {
		err := do()
		if err == nil || permanent(err) {
			return err
		}
		if err := w.pause(ctx, failures); err != nil {
			return err
		}
	}
}

// pause waits after so many failures.
func (w *Worker) pause(ctx context.Context, failures int) error {
	timer := time.NewTimer(w.o.Backoff(failures))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
