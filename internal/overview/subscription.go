package overview

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"belay/internal/event"
)

// Subscription reads the changes of an [Overview]. One goroutine at a time calls Next.
type Subscription struct {
	feed  *feed
	after uint64
	// first is the event that comes before all others, "" once it was returned.
	first event.Type
	once  sync.Once
}

// Subscribe reports changes after a position, or from now on for "". What the caller
// fetches after the first event is not older than the position of that event. The caller
// closes the subscription.
func (v *Overview) Subscribe(ctx context.Context, position string) (*Subscription, error) {
	if err := v.feed.start(ctx); err != nil {
		return nil, err
	}
	f := &v.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers++
	s := &Subscription{feed: f, after: f.version, first: FeedReady}
	if position == "" {
		return s, nil
	}
	epoch, version, _ := strings.Cut(position, ".")
	after, err := strconv.ParseUint(version, 10, 64)
	if err != nil || epoch != f.epoch || after > f.version || after < f.oldest() {
		s.first = FeedReset
		return s, nil
	}
	s.after = after
	return s, nil
}

// Next waits for changes and returns them with the position after each. Where some are not
// known any more, it returns [FeedReset]. After Close of the overview it returns
// [ErrClosed].
func (s *Subscription) Next(ctx context.Context) ([]event.Event, error) {
	for {
		events, wake, err := s.take()
		if len(events) > 0 || err != nil {
			return events, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-wake:
		}
	}
}

// maxBatch is how many changes Next returns at most.
const maxBatch = 256

// take returns what there is, and otherwise a channel that is closed when there is more.
func (s *Subscription) take() ([]event.Event, <-chan struct{}, error) {
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, nil, ErrClosed
	}
	if s.first == "" && s.after < f.oldest() {
		s.first, s.after = FeedReset, f.version
	}
	if s.first != "" {
		data, err := json.Marshal(Position{s.after})
		kind := s.first
		s.first = ""
		return []event.Event{{Seq: int64(s.after), Type: kind, Data: data}}, nil, err
	}
	var events []event.Event
	for _, c := range f.changes[s.after-f.oldest():] {
		events = append(events, event.Event{Seq: int64(c.version), Type: c.kind, Data: c.data})
		if s.after = c.version; len(events) == maxBatch {
			break
		}
	}
	return events, f.wake, nil
}

// At is the position after the event with that sequence, for [Overview.Subscribe].
func (s *Subscription) At(seq int64) string { return s.feed.epoch + "." + strconv.FormatInt(seq, 10) }

// Close ends the subscription.
func (s *Subscription) Close() {
	s.once.Do(func() {
		s.feed.mu.Lock()
		defer s.feed.mu.Unlock()
		s.feed.readers--
	})
}
