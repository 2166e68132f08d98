package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"belay/internal/event"
)

// workers read logs and publish. One is fast enough; the second keeps the bus
// moving while the first waits for a slow disk.
const workers = 2

// linger is how long a worker waits after the first news before it collects a
// batch. The readers on the bus are other programs that do not notice five
// milliseconds, and an event in a batch of fifty costs half of one on its own.
const linger = 5 * time.Millisecond

// Publisher copies the logs of sessions to the bus. It learns which sessions
// have news ([Publisher.Observe], [Publisher.Resume]) and does the rest in its
// own goroutines: it never blocks the caller, holds no events beyond the
// batches in flight, and on failure keeps its position and tries again.
//
// The position of a session is the last sequence that the stream confirmed.
// After a failure, and after a restart of the program, it is not remembered
// but asked from the stream.
type Publisher struct {
	bus    *Bus
	source Source
	names  map[event.Type]string
	limit  int64 // largest payload

	queue *workQueue

	gathering sync.Mutex
	epoch     uint64 // the connection that the positions were learnt on
	stop      context.CancelFunc
	wg        sync.WaitGroup

	published, retries, omitted atomic.Int64
}

// Stats counts what a publisher has done since it started, and what is open.
type Stats struct {
	// Published counts confirmed messages; Omitted those among them whose data
	// was too large to carry.
	Published, Omitted int64
	// Retries counts batches and log reads that failed and were put off.
	Retries int64
	// LagSessions is how many sessions have news that the stream does not
	// hold yet; LagEvents how many events that is, as far as known.
	LagSessions, LagEvents int64
}

// NewPublisher starts a publisher on b. The caller owns it and must close it
// before b.
func NewPublisher(b *Bus, source Source) (*Publisher, error) {
	limit := b.nc.MaxPayload()
	if m := int64(b.stream.CachedInfo().Config.MaxMsgSize); m > 0 {
		limit = min(limit, m)
	}
	p := &Publisher{
		bus: b, source: source, names: busNames(), limit: limit,
		queue: newWorkQueue(time.Now, b.opts.AckTimeout), epoch: b.epoch(),
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	lanes := make([]*lane, 0, workers)
	for range workers {
		l, err := newLane(b.nc)
		if err != nil {
			cancel()
			for _, l := range lanes {
				err = errors.Join(err, l.close())
			}
			return nil, err
		}
		lanes = append(lanes, l)
	}
	for _, l := range lanes {
		p.wg.Go(func() { p.work(ctx, l) })
	}
	return p, nil
}

// Observe notes that evs were appended to session's log. It has the form of
// the session store's observer, does not block and does not keep evs.
func (p *Publisher) Observe(session string, evs []event.Event) {
	if len(evs) > 0 {
		p.queue.add(session, evs[0].Seq-1, evs[len(evs)-1].Seq)
	}
}

// Resume catches up with sessions that may have moved while no publisher was
// watching, from the last message that the stream holds of each, or, when it
// holds none, from the first event that is younger than [Options.MaxAge]. It
// does not block. Every session named costs a question to the stream, and one
// of which the stream holds nothing a read of its log: name those that may have
// moved within MaxAge.
func (p *Publisher) Resume(sessions ...string) {
	for _, id := range sessions {
		p.queue.add(id, 0, toTheEnd)
	}
}

// Forget drops what is known of a session that was deleted. Its messages are
// [Bus.Forget]'s to remove.
func (p *Publisher) Forget(session string) { p.queue.drop(session) }

// Stats returns the counters. It may be called at any time.
func (p *Publisher) Stats() Stats {
	s := Stats{Published: p.published.Load(), Omitted: p.omitted.Load(), Retries: p.retries.Load()}
	s.LagSessions, s.LagEvents = p.queue.lag()
	return s
}

// Close publishes what is still open, as long as ctx allows, and ends the
// publisher's goroutines. It does not wait for a log that cannot be read. What it did not get to is not lost: it is in the
// log. The error says how much that is.
func (p *Publisher) Close(ctx context.Context) error {
	p.queue.close()
	var err error
	select {
	case <-p.queue.idle():
		if n := p.queue.unread(); n > 0 {
			err = fmt.Errorf("bus: %d sessions not published: their logs could not be read", n)
		}
	case <-ctx.Done():
		n, _ := p.queue.lag()
		err = fmt.Errorf("bus: %d sessions not yet published: %w", n, ctx.Err())
	}
	p.stop()
	p.wg.Wait()
	return err
}

// work publishes batch after batch until ctx is done.
func (p *Publisher) work(ctx context.Context, l *lane) {
	defer func() {
		if err := l.close(); err != nil {
			p.bus.opts.Logger.Warn("bus publisher", "error", err)
		}
	}()
	for ctx.Err() == nil {
		if picked := p.gather(ctx); len(picked) > 0 {
			p.round(ctx, l, picked)
		}
	}
}

// gather waits for news and returns the sessions of the next batch. Only one
// worker gathers while the others publish, or they would share every batch.
func (p *Publisher) gather(ctx context.Context) []*task {
	p.gathering.Lock()
	defer p.gathering.Unlock()
	if !p.queue.wait(ctx) {
		return nil
	}
	if epoch := p.bus.epoch(); p.epoch != epoch {
		p.epoch = epoch
		p.queue.recheck()
	}
	pause(ctx, linger)
	return p.queue.take(sessionsPerBatch)
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
