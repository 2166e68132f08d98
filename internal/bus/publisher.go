package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"belay/internal/event"
	"belay/internal/fault"
)

// workers read logs and publish. One is fast enough; the second keeps the bus
// moving while the first waits for a slow disk.
const workers = 2

// linger is how long a worker waits after the first news before it collects a
// batch. The readers on the bus are other programs that do not notice two
// milliseconds, and a batch of six costs half of six messages.
const linger = 2 * time.Millisecond

// sessionsPerBatch bounds how many logs one batch reads.
const sessionsPerBatch = 64

// reviveAfter is how many failures in a row it takes, the last of them silence,
// until the embedded server is restarted.
const reviveAfter = 3

// Publisher copies the logs of sessions to the bus. It is told which sessions
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

	agenda *agenda
	stop   context.CancelFunc
	wg     sync.WaitGroup

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
	p := &Publisher{bus: b, source: source, names: busNames(), limit: limit, agenda: newAgenda(time.Now, b.opts.AckTimeout)}
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
		p.agenda.add(session, evs[0].Seq-1, evs[len(evs)-1].Seq)
	}
}

// Resume catches up with sessions that may have moved while no publisher was
// watching, from the last message that the stream holds of each, or from the
// start of the log when it holds none. It does not block.
func (p *Publisher) Resume(sessions ...string) {
	for _, id := range sessions {
		p.agenda.add(id, 0, toTheEnd)
	}
}

// Stats returns the counters. It may be called at any time.
func (p *Publisher) Stats() Stats {
	s := Stats{Published: p.published.Load(), Omitted: p.omitted.Load(), Retries: p.retries.Load()}
	s.LagSessions, s.LagEvents = p.agenda.lag()
	return s
}

// Close publishes what is still open, as long as ctx allows, and ends the
// publisher's goroutines. What it did not get to is not lost: it is in the
// log. The error says how much that is.
func (p *Publisher) Close(ctx context.Context) error {
	p.agenda.close()
	var err error
	select {
	case <-p.agenda.idle():
	case <-ctx.Done():
		n, _ := p.agenda.lag()
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
	for p.agenda.wait(ctx) {
		pause(ctx, linger)
		if picked := p.agenda.take(sessionsPerBatch); len(picked) > 0 {
			p.round(ctx, l, picked)
		}
	}
}

// round moves the picked sessions on by one batch.
func (p *Publisher) round(ctx context.Context, l *lane, picked []*task) {
	var batch []draft
	var owners []*task // of the draft at the same place
	size := 0
	var down error
	for _, t := range picked {
		if len(batch) >= batchMessages || size >= batchBytes {
			break // the others go back on the agenda as they are
		}
		if t.cursor == unknown {
			if down == nil {
				down = p.locate(ctx, t)
			}
			if down != nil {
				t.failed = true
				continue
			}
		}
		drafts, err := p.collect(ctx, t, batchMessages-len(batch), batchBytes-size)
		if err != nil {
			p.putOff(t, err)
			continue
		}
		for _, d := range drafts {
			batch = append(batch, d)
			owners = append(owners, t)
			size += d.size()
		}
	}
	if down != nil {
		p.busFailed(ctx, down)
	}
	if len(batch) > 0 {
		p.publish(ctx, l, batch, owners)
	}
	for _, t := range picked {
		p.agenda.settle(t)
	}
}

// locate asks the stream where the session stands.
func (p *Publisher) locate(ctx context.Context, t *task) error {
	seq, _, err := p.bus.lastStored(ctx, t.session)
	if err == nil {
		t.cursor = max(seq, t.floor)
	}
	return err
}

// publish sends batch and notes on the owners what became of it.
func (p *Publisher) publish(ctx context.Context, l *lane, batch []draft, owners []*task) {
	stored, err := l.publish(ctx, batch, p.bus.opts.AckTimeout)
	for i, d := range batch[:stored] {
		owners[i].moveTo(d.seq)
		if d.omitted > 0 {
			p.omitted.Add(1)
		}
	}
	p.published.Add(int64(stored))
	if err == nil {
		p.bus.health.succeeded()
		return
	}
	// The stream named the message that it refused: only its session waits,
	// the others behind it go again at once.
	var refused *streamError
	for i, t := range owners[stored:] {
		t.cursor = unknown
		if i == 0 || !errors.As(err, &refused) {
			t.failed = true
		}
	}
	p.busFailed(ctx, err)
}

// busFailed notes that the stream refused, or did not answer, and repairs it
// when it has not answered for a while.
func (p *Publisher) busFailed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // closing: not the bus's fault
	}
	p.retries.Add(1)
	failures := p.bus.health.failed(err, time.Now())
	if unanswered(err) && failures%reviveAfter == 0 {
		if err := p.bus.revive(ctx); err != nil {
			p.bus.health.failed(err, time.Now())
		}
	}
}

// unanswered reports whether err means that nobody is there to answer: a store
// that fell silent, or a stream that is gone.
func unanswered(err error) bool {
	for _, silence := range []error{errNoAck, nats.ErrNoResponders, nats.ErrTimeout, context.DeadlineExceeded} {
		if errors.Is(err, silence) {
			return true
		}
	}
	return false
}

// collect returns the session's next drafts, within the limits of a batch.
func (p *Publisher) collect(ctx context.Context, t *task, count, size int) ([]draft, error) {
	evs, err := p.source.Read(ctx, t.session, t.cursor)
	if err != nil {
		return nil, err
	}
	t.drained = len(evs) == 0
	var drafts []draft
	for _, ev := range evs {
		name, carried := p.names[ev.Type]
		if !carried {
			if len(drafts) > 0 {
				break // steps over it when what is before it is stored
			}
			t.moveTo(ev.Seq)
			continue
		}
		if ev.Seq <= t.cursor {
			continue
		}
		d, err := newDraft(t.session, name, ev, p.limit)
		if err != nil {
			return nil, err
		}
		drafts = append(drafts, d)
		if size -= d.size(); len(drafts) >= count || size <= 0 {
			break
		}
	}
	return drafts, nil
}

// putOff notes that a session's log could not be read.
func (p *Publisher) putOff(t *task, err error) {
	if fault.Is(err, fault.SessionNotFound) {
		t.drained = true // deleted: nothing is left to publish
		return
	}
	t.failed = true
	p.retries.Add(1)
	p.bus.opts.Logger.Warn("bus publisher: put off", "session", t.session, "error", err)
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
