package discord

import (
	"context"
	"errors"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord/output"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
)

// Pace of an answer.
const (
	// editEvery is the pause between two edits while an agent writes. Discord allows
	// about one edit a second in a channel.
	editEvery = 1200 * time.Millisecond
	// typingEvery renews the sign that somebody writes, which lasts 10 s.
	typingEvery = 8 * time.Second
	// lateOutput is how long the output of a request that ended is waited for.
	lateOutput = 10 * time.Second
)

// errCrashed ends an answer that had a fault of belay's own; the log has it.
var errCrashed = errors.New("the answer crashed")

// answer is one request on its way. The surface's lock guards what has no other note.
type answer struct {
	surface *Surface
	channel *channel
	request record.Request
	// resumed says that another process began it.
	resumed bool
	// ended gets how the request ended, once.
	ended chan *contract.LifecycleChanged
	// running says that the agent works on it, over that it does no more.
	running, over bool
	// ids are the messages of the answer.
	ids []string
	// readers wait until a part of the output is shown, anchoring asks for a new message;
	// done is closed when the answer's goroutine ends.
	readers   chan reader
	anchoring chan anchoring
	done      chan struct{}

	// What follows belongs to the goroutine of the answer. Position is that of the last
	// output that was taken.
	plan  *output.Answer
	files map[string]contract.File
	// began is when the first attempt was made at each message that is not sent yet, by key.
	began    map[string]time.Time
	position int64
	waiting  []reader
	// state is how the request ended by the signal, "" before that.
	state contract.State
	// anchors are those whose position is still to come, anchor is the one that waits for
	// its paragraph.
	anchors []record.Anchor
	anchor  *record.Anchor
}

// steerable reports whether people can say something into the answer. A request that
// was itself said into another one is none, unless it turns out to run.
func (a *answer) steerable() bool {
	return !a.over && (a.running || a.request.Queue == routing.Prompt)
}

// answer publishes a request and follows its output, in a goroutine of its own. Nobody is
// answered in a channel that is forgotten. The caller holds the lock.
func (s *Surface) answer(ctx context.Context, c *channel, r record.Request, resumed bool) {
	if c.answers[r.ID] != nil || s.channels[c.id] != c {
		return
	}
	a := &answer{
		surface: s, channel: c, request: r, resumed: resumed, ended: make(chan *contract.LifecycleChanged, 1),
		readers: make(chan reader), anchoring: make(chan anchoring), done: make(chan struct{}), anchors: r.Anchors,
		plan: output.New(s.limits(c, r), r.Sent...), files: map[string]contract.File{}, began: map[string]time.Time{},
	}
	for _, m := range r.Sent {
		a.ids = append(a.ids, m.ID)
	}
	c.answers[r.ID] = a
	s.work.Go(func() {
		defer close(a.done)
		if !guarded(s.log, func() { a.run(ctx) }) { // else each process would try it again
			guarded(s.log, func() { a.finish(ctx, failure(contract.FailureOf(errCrashed))) })
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(c.answers, r.ID)
		restoration{s}.ended(c)
	})
}

// resume goes on with the requests of a channel that have no whole answer yet, and with its
// questions. The caller holds the lock.
func (s *Surface) resume(ctx context.Context, c *channel) {
	for _, id := range c.record.Unsettled() {
		questions{s}.attend(c, id)
	}
	for _, r := range c.record.Open() {
		s.answer(ctx, c, r, true)
	}
}

// limits are what Discord takes in a channel. The caller holds the lock.
func (s *Surface) limits(c *channel, r record.Request) output.Limits {
	l := output.Defaults()
	m, _ := c.record.Message(r.Messages[len(r.Messages)-1])
	switch s.tiers[m.Guild] {
	case 2:
		l.FileBytes, l.RequestBytes = 50<<20, 50<<20
	case 3:
		l.FileBytes, l.RequestBytes = 100<<20, 100<<20
	}
	if s.o.FileBytes > 0 {
		l.FileBytes = min(l.FileBytes, s.o.FileBytes)
	}
	return l
}

// run follows the request to its end and has everything in Discord then. When ctx
// ends before, the next process goes on.
func (a *answer) run(ctx context.Context) {
	s := a.surface
	if a.request.Refusal != "" {
		a.finish(ctx, a.request.Refusal)
		return
	}
	if err := (requests{s}).publish(ctx, a.request, a.delayed); err != nil {
		if ctx.Err() == nil {
			a.finish(ctx, failure(contract.FailureOf(err)))
		}
		return
	}
	life, end := context.WithCancel(ctx)
	defer end()
	s.work.Go(func() { a.typing(life) })
	outputs := make(chan contract.Message)
	broken := make(chan error, 1)
	s.work.Go(func() {
		for m, err := range s.o.Bus.Output(life, a.request.Session, a.request.ID, 0) {
			if err != nil {
				broken <- err
				return
			}
			select {
			case outputs <- m:
			case <-life.Done():
				return
			}
		}
	})
	a.follow(ctx, outputs, broken)
}

// delayed tells the person that the request waits. After a restart it was said already.
func (a *answer) delayed() {
	if !a.resumed {
		requests{a.surface}.delayed(a.channel, a.request.Messages[len(a.request.Messages)-1])
	}
}

// follow takes outputs into the plan, and carries the plan out at Discord's pace.
func (a *answer) follow(ctx context.Context, outputs <-chan contract.Message, broken <-chan error) {
	var pace, late, idle <-chan time.Time
	ended := a.ended
	if a.resumed {
		// The signal of its end may have come to the process before this one.
		idle = time.After(lateOutput)
		// The output comes again from its start. People do not see the answer shrink meanwhile.
		pace = time.After(editEvery)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-outputs:
			if a.output(ctx, m, &pace) {
				return
			}
			if idle = nil; late != nil {
				late = time.After(lateOutput)
			}
		case r := <-a.readers:
			a.waiting = append(a.waiting, r)
			a.show(ctx)
		case n := <-a.anchoring:
			n.done <- a.goOn(n.anchor)
		case <-pace:
			pace = nil
			if a.step(ctx) {
				pace = time.After(editEvery)
			}
		case end := <-ended:
			ended = nil
			if end.Into != "" {
				a.taken(ctx, end.Into)
				return
			}
			late = time.After(lateOutput)
			a.state = end.State
			if end.Error != nil {
				a.plan.SetNote(failure(end.Error))
			}
		case <-idle:
			if !a.forgotten(ctx) {
				idle = time.After(lateOutput)
				continue
			}
			if a.request.Queue != routing.Prompt {
				a.taken(ctx, "")
				return
			}
			a.finish(ctx, lostEnd)
			return
		case <-late:
			// While Discord was slow, output may have come beside the end of the wait.
			select {
			case m := <-outputs:
				if a.output(ctx, m, &pace) {
					return
				}
				late = time.After(lateOutput)
			default:
				a.endless(ctx)
				return
			}
		case err := <-broken:
			a.surface.log.Error("Discord: the output of a request could not be read", "request", a.request.ID, "error", err)
			a.finish(ctx, "*The rest of this answer could not be read. It is in the session.*")
			return
		}
	}
}
