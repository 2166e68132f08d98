package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"belay/internal/crash"
	"belay/internal/event"
	"belay/internal/overview"
	"belay/internal/session"
	"belay/internal/turn"
)

// feedSource is the subscription of the overview; [overview.Subscription] is one.
type feedSource interface {
	Next(ctx context.Context) ([]event.Event, error)
	At(seq int64) string
	Close()
}

// feedStream is several streams as one. Each has a goroutine, which asks for the next
// batch only when the one before was written: so what a slow reader holds up stays within
// the budgets of the streams themselves. The goroutines end with Close.
type feedStream struct {
	feed   feedSource
	at     feedPosition
	order  []followed
	ctx    context.Context
	cancel context.CancelFunc
	pulls  sync.WaitGroup
	open   []turn.Stream
	// begun ends when begin is called, with the feed's first batch: its feed:ready or
	// feed:reset comes before the events of all others.
	begun <-chan struct{}
	begin func()

	batches chan batch
	// written lets the source of the last batch go on; ids are of its events.
	written chan<- struct{}
	ids     []string
}

// batch is what a source had next. Its key is zero for the feed.
type batch struct {
	key    followed
	events []event.Event
	err    error
	again  chan<- struct{}
}

func newFeedStream(ctx context.Context, sub feedSource, f feedRequest) *feedStream {
	s := &feedStream{feed: sub, at: f.at, order: f.order, batches: make(chan batch)}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	begun := make(chan struct{})
	s.begun, s.begin = begun, sync.OnceFunc(func() { close(begun) })
	s.pull(followed{}, sub.Next)
	return s
}

// follow adds a stream, which the feed's stream then owns.
func (s *feedStream) follow(key followed, from turn.Stream) {
	s.open = append(s.open, from)
	s.pull(key, from.Next)
}

// pull reads a source until it ends.
func (s *feedStream) pull(key followed, next func(context.Context) ([]event.Event, error)) {
	s.pulls.Go(func() {
		again := make(chan struct{})
		if key.kind != "" {
			select {
			case <-s.begun:
			case <-s.ctx.Done():
				return
			}
		}
		for {
			var events []event.Event
			err := crash.Caught(func() (err error) {
				events, err = next(s.ctx)
				return err
			})()
			select {
			case s.batches <- batch{key, events, err, again}:
			case <-s.ctx.Done():
				return
			}
			if err != nil {
				return
			}
			select {
			case <-again:
			case <-s.ctx.Done():
				return
			}
		}
	})
}

// Turn implements [turn.Stream].
func (s *feedStream) Turn() string { return "" }

// Next implements [turn.Stream].
func (s *feedStream) Next(ctx context.Context) ([]event.Event, error) {
	if s.written != nil {
		select {
		case s.written <- struct{}{}:
		case <-s.ctx.Done():
		}
		s.written = nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.ctx.Done():
		return nil, session.ErrReaderClosed
	case b := <-s.batches:
		return s.take(b)
	}
}

// take makes the events of a batch events of the one stream, and gives each its id.
func (s *feedStream) take(b batch) ([]event.Event, error) {
	if b.err != nil {
		return s.ended(b)
	}
	if b.key.kind == "" {
		s.begin()
	}
	s.written = b.again
	s.ids = s.ids[:0]
	events := make([]event.Event, 0, len(b.events))
	for _, e := range b.events {
		switch {
		case b.key.kind == "":
			s.at.feed = s.feed.At(e.Seq)
		case e.Seq > 0: // what is in no log is no place to go on from
			s.at.in[b.key] = e.Seq
		case e.Type == projectReady && s.at.in[b.key] == 0:
			var now projectReadyData
			if err := json.Unmarshal(e.Data, &now); err != nil {
				return nil, err
			}
			s.at.in[b.key] = int64(now.Version)
		}
		wrapped, err := wrap(b.key, e)
		if err != nil {
			return nil, err
		}
		events = append(events, wrapped)
		s.ids = append(s.ids, s.id())
	}
	return events, nil
}

// id is the position, "" before the feed has one: a reader that knows the place in a log
// alone would miss changes.
func (s *feedStream) id() string {
	if s.at.feed == "" {
		return ""
	}
	return s.at.String(s.order)
}

// ended says that a session cannot be read on. The end of anything else is that of the
// stream: the client comes back and learns why.
func (s *feedStream) ended(b batch) ([]event.Event, error) {
	switch {
	case b.key.kind == "s" && !errors.Is(b.err, turn.ErrLeft) && !errors.Is(b.err, session.ErrReaderClosed):
		data, err := json.Marshal(errorOf(b.key.id, b.err))
		s.ids = append(s.ids[:0], s.id())
		return []event.Event{{Type: sessionEnd, Data: data}}, err
	case errors.Is(b.err, overview.ErrClosed):
		return nil, io.EOF
	}
	return nil, b.err
}

// wrap makes an event of a source one of the one stream.
func wrap(key followed, e event.Event) (event.Event, error) {
	var err error
	switch key.kind {
	case "s":
		e.Type, e.Data = sessionEvent, wrapSession(key.id, e)
	case "p":
		var data json.RawMessage
		data, err = json.Marshal(projectEventData{key.id, e.Type, e.Data})
		e.Type, e.Data = projectEvent, data
	}
	return e, err
}

// eventID is the id of the last batch's event, which the writer of the stream asks for.
func (s *feedStream) eventID(i int) string { return s.ids[i] }

// Close implements [turn.Stream]: it ends the goroutines and waits for them.
func (s *feedStream) Close() error {
	s.cancel()
	var errs []error
	for _, from := range s.open {
		errs = append(errs, from.Close())
	}
	s.pulls.Wait()
	s.feed.Close()
	return errors.Join(errs...)
}
