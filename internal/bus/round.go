package bus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"belay/internal/fault"
)

// sessionsPerBatch bounds how many logs one batch reads.
const sessionsPerBatch = 64

// reviveAfter is how many failures in a row it takes, the last of them silence,
// until the embedded server is restarted.
const reviveAfter = 3

// round moves the picked sessions on by one batch.
func (p *Publisher) round(ctx context.Context, l *lane, picked []*task) {
	down := p.batch(ctx, l, picked)
	for _, t := range picked {
		p.queue.settle(t)
	}
	if down != nil {
		p.busFailed(ctx, down)
	}
}

// batch collects what the picked sessions have and publishes it. The error says
// why the bus, not a session, failed.
func (p *Publisher) batch(ctx context.Context, l *lane, picked []*task) (down error) {
	p.bus.repair.RLock() // no restart between the question and the batch
	defer p.bus.repair.RUnlock()
	epoch := p.bus.epoch()
	batch := l.drafts[:0]
	owners := l.owners[:0] // of the draft at the same place
	size := 0
	defer func() {
		clear(batch) // nothing is kept for the next batch but the room
		clear(owners)
		l.drafts, l.owners = batch[:0], owners[:0]
	}()
	for _, t := range picked {
		if len(batch) >= batchMessages || size >= batchBytes {
			break // the others go back on the work queue as they are
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
		first := len(batch)
		var err error
		if batch, err = p.collect(ctx, t, batch, batchBytes-size); err != nil {
			p.putOff(t, err)
			continue
		}
		for _, d := range batch[first:] {
			owners = append(owners, t)
			size += d.size()
		}
	}
	if p.bus.epoch() != epoch {
		for _, t := range picked {
			t.cursor = unknown
		}
		return down
	}
	if len(batch) == 0 {
		return down
	}
	if err := p.publish(ctx, l, batch, owners); err != nil {
		return err
	}
	if down == nil {
		p.bus.health.succeeded()
	}
	return down
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
func (p *Publisher) publish(ctx context.Context, l *lane, batch []draft, owners []*task) error {
	stored, err := l.publish(ctx, batch, p.bus.opts.AckTimeout)
	for i, d := range batch[:stored] {
		owners[i].moveTo(d.seq)
		if d.omitted > 0 {
			p.omitted.Add(1)
		}
	}
	p.published.Add(int64(stored))
	if err == nil {
		return nil
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
	return err
}

// busFailed notes that the stream refused, or did not answer, and repairs it
// when it has not answered for a while.
func (p *Publisher) busFailed(ctx context.Context, err error) {
	if ctx.Err() == nil { // closing is not the bus's fault
		p.retries.Add(1)
		p.bus.failed(ctx, err)
	}
}

// failed notes that the bus did not store a message, and repairs it when it has
// not answered for a while.
func (b *Bus) failed(ctx context.Context, err error) {
	failures := b.health.failed(err, time.Now())
	if failures == 1 {
		b.opts.Logger.Warn("the bus does not store messages; it is tried again", "error", err)
	}
	if (unanswered(err) || b.server.down()) && failures%reviveAfter == 0 {
		if err := b.revive(ctx); err != nil {
			b.health.failed(err, time.Now())
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

// collect appends the session's next drafts to batch, within its limits; size is
// what may still be added, in bytes.
func (p *Publisher) collect(ctx context.Context, t *task, batch []draft, size int) ([]draft, error) {
	evs, err := p.source.Read(ctx, t.session, t.cursor)
	if err != nil {
		return batch, err
	}
	first := len(batch)
	t.drained = len(evs) == 0
	oldest := p.queue.now().Add(-p.bus.opts.MaxAge)
	for _, ev := range evs {
		name, carried := p.names[ev.Type]
		if !carried || ev.Time.Before(oldest) {
			if len(batch) > first {
				break // steps over it when what is before it is stored
			}
			t.moveTo(ev.Seq)
			continue
		}
		if ev.Seq <= t.cursor {
			continue
		}
		d := newDraft(t.session, name, ev, p.limit)
		batch = append(batch, d)
		if size -= d.size(); len(batch) >= batchMessages || size <= 0 {
			break
		}
	}
	return batch, nil
}

// putOff notes that a session's log could not be read.
func (p *Publisher) putOff(t *task, err error) {
	if fault.Is(err, fault.SessionNotFound) {
		t.drained = true // deleted: nothing is left to publish
		return
	}
	t.failed, t.unreadable = true, true
	p.retries.Add(1)
	if t.attempts > 0 {
		return // said already
	}
	p.bus.opts.Logger.Warn("bus publisher: put off", "session", t.session, "error", err)
}
