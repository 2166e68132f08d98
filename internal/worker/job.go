package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"belay/internal/attachment/block"
	"belay/internal/bus"
	"belay/internal/bus/contract"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/telemetry"
	"belay/internal/turn"
)

// job is one request on its way.
type job struct {
	w       *Worker
	key     jobKey
	client  string
	message *contract.RequestMessage
	digest  string

	// ctx ends the wait for the turn; begun is closed once it has begun, or never
	// will, done when nothing is left to do.
	ctx    context.Context
	cancel context.CancelCauseFunc
	begun  chan struct{}
	done   chan struct{}

	mu       sync.Mutex
	delivery *bus.Delivery
	turn     string
	since    time.Time
}

func newJob(w *Worker, d *bus.Delivery) *job {
	j := &job{
		w: w, key: jobKey{d.Session, d.Envelope.Request}, client: d.Client, message: d.Request(),
		begun: make(chan struct{}), done: make(chan struct{}), delivery: d,
	}
	m := j.message
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q", m.Queue, m.Text, m.Persona, m.Mode, m.Model))
	j.digest = hex.EncodeToString(sum[:])
	ids := telemetry.IDs{Request: j.key.request, Session: j.key.session}
	j.ctx, j.cancel = context.WithCancelCause(telemetry.With(w.life, ids))
	return j
}

// log writes lines with the ids of the request.
func (j *job) log() *slog.Logger {
	l := j.w.o.Logger.With("request", j.key.request, "session", j.key.session)
	if id := j.turnID(); id != "" {
		l = l.With("turn", id)
	}
	return l
}

// redelivered takes the newest delivery: only that can be acknowledged.
func (j *job) redelivered(d *bus.Delivery) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.delivery = d
}

func (j *job) held() *bus.Delivery {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.delivery
}

func (j *job) turnID() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.turn
}

func (j *job) hasBegun() bool {
	select {
	case <-j.begun:
		return true
	default:
		return false
	}
}

// run runs the request to its end.
func (j *job) run() {
	defer close(j.done)
	defer j.cancel(nil)
	j.w.o.step("taken")
	stream, err := j.begin()
	j.w.o.step("accepted")
	close(j.begun)
	over := (*overError)(nil)
	switch {
	case errors.As(err, &over):
		j.again(j.w.life, over.last)
	case errors.Is(err, errCancelled):
		j.cancelled(j.w.life)
	case j.w.life.Err() != nil:
		j.leave()
	case err != nil:
		j.fail(j.w.life, err)
	default:
		j.follow(stream)
	}
	if stream != nil {
		_ = stream.Close() // it holds a place in a log, nothing else
	}
}

// begin begins the turn of the request, or follows the one that it began before. It looks
// also where the bus knows of no delivery before this one: a surface that was away for days
// publishes what it has on record, when the bus has forgotten the id.
func (j *job) begin() (turn.Stream, error) {
	switch e, begun, err := j.earlier(j.ctx); {
	case err != nil:
		return nil, err
	case begun:
		s, err := j.w.o.Engine.Events(j.ctx, j.key.session, max(e.After, 0), e.Turn)
		return j.started(s, err)
	}
	return j.start()
}

// started notes the turn of the request.
func (j *job) started(s turn.Stream, err error) (turn.Stream, error) {
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.turn, j.since = s.Turn(), j.w.o.Clock()
	return s, nil
}

// spoken takes the block of files off a request's text: the engine keeps their
// addresses from models and records.
func spoken(m *contract.RequestMessage) (text string, files []block.Item) {
	text, files, _ = block.Parse(m.Text)
	return text, files
}

// destination is where people see the output of a request, nil where the request does not
// say so. It is outside this machine: files for it need the permission to publish.
func destination(o *contract.Origin) *session.Destination {
	if o == nil || o.ChannelID == "" {
		return nil
	}
	return &session.Destination{Surface: o.Platform, ID: o.ChannelID, Parent: o.ParentChannelID, Name: o.Platform + ", channel " + o.ChannelID}
}

// start begins the turn. Where another surface works in the session it waits.
func (j *job) start() (turn.Stream, error) {
	m := j.message
	text, files := spoken(m)
	for failures := 0; ; {
		s, err := j.w.o.Engine.Start(j.ctx, turn.Request{
			SessionID: j.key.session, Message: text, Links: files, Destination: destination(m.Origin),
			IdempotencyKey: j.key.request, BodyDigest: j.digest,
			Opts: turn.Opts{Persona: m.Persona, Mode: m.Mode, Model: m.Model, OnBusy: "queue", OnQuestion: "wait"},
		})
		if err == nil {
			return j.started(s, nil)
		}
		if failures++; fault.Is(err, fault.TurnInProgress) {
			failures = 0 // others are still at work
		}
		if err := j.mayRepeat(err, failures); err != nil {
			return nil, err
		}
	}
}

// mayRepeat waits before a step is tried again that failed so many times. It returns why
// it must not be.
func (j *job) mayRepeat(err error, failures int) error {
	if cause := context.Cause(j.ctx); cause != nil {
		return cause
	}
	if permanent(err) && !fault.Is(err, fault.TurnInProgress) || failures >= attempts || j.w.isDraining() {
		return err
	}
	return j.w.pause(j.ctx, max(failures, 1))
}

// earlier finds the turn that the request began before. The engine forgets
// idempotency keys after a day; the transcript does not. The error of a request that
// ended before it began a turn is an [overError].
func (j *job) earlier(ctx context.Context) (e session.Entry, begun bool, err error) {
	for failures := 1; ; failures++ {
		entries, err := j.w.o.Engine.Transcript(ctx, j.key.session)
		if err == nil {
			for i := len(entries) - 1; i >= 0; i-- {
				if e := entries[i]; e.Kind == session.EntryTurn && e.Idempotency != nil && e.Idempotency.Key == j.key.request {
					return e, true, nil
				}
			}
			last, err := j.ended(ctx)
			if err == nil && last != nil {
				err = &overError{last}
			}
			return e, false, err
		}
		if err := j.mayRepeat(err, failures); err != nil {
			return e, false, err
		}
	}
}

// follow publishes the turn of the request to its end.
func (j *job) follow(stream turn.Stream) {
	ctx := j.w.life
	if errors.Is(context.Cause(j.ctx), errCancelled) {
		_ = j.w.o.Engine.Interrupt(ctx, j.key.session, j.turnID()) // it was on its way; the turn says how it ended
	}
	j.report(ctx, contract.LifecycleChanged{State: contract.StateRunning})
	out := newOutput(j)
	for failures := 1; ; failures++ {
		err := out.copy(ctx, stream)
		switch {
		case errors.Is(err, io.EOF):
			j.finish(ctx)
			return
		case ctx.Err() != nil || errors.Is(err, turn.ErrLeft):
			j.leave()
			return
		case permanent(err) || failures >= attempts:
			j.fail(ctx, err)
			return
		}
		if j.w.pause(ctx, failures) != nil {
			j.leave()
			return
		}
	}
}
