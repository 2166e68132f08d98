package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Stream is the JetStream stream that holds every session's events.
const Stream = "BELAY_EVENTS"

const subjectPrefix = "belay.evt."

// dedupeWindow is how long the stream remembers message ids. Before a second
// attempt the publisher asks where the stream stands, so the ids only catch what
// was still on its way then: in a cluster for as long as an answer may take, and
// half as long again, in the embedded server for moments. Not longer: every id
// costs about 150 bytes, and a busy server makes ten thousand a second.
func dedupeWindow(o Options) time.Duration {
	window := max(o.AckTimeout*3/2, leastDedupeWindow)
	if o.URL == "" {
		window = min(window, embeddedDedupeWindow)
	}
	return min(window, o.MaxAge)
}

const (
	embeddedDedupeWindow = 250 * time.Millisecond
	leastDedupeWindow    = 100 * time.Millisecond // JetStream takes no shorter one
)

// Subject returns the subject of a session's events. Session ids match
// ^[A-Za-z0-9_-]{1,80}$, so each is one safe token.
func Subject(session string) string { return subjectPrefix + session }

func messageID(session string, seq int64) string {
	return session + ":" + strconv.FormatInt(seq, 10)
}

func streamConfig(o Options) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        Stream,
		Description: "events of belay sessions, republished from their logs",
		Subjects:    []string{subjectPrefix + "*"},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardOld,
		MaxBytes:    o.MaxBytes,
		MaxAge:      o.MaxAge,
		Duplicates:  dedupeWindow(o),
		AllowDirect: true,
		// One acknowledgement per batch, and a batch that stops at its first
		// failure: this is what keeps a session's order without a round trip
		// per message.
		AllowBatchPublish: true,
	}
}

// ensureStream creates the stream, or brings the embedded one to the
// configured limits. An external stream that exists belongs to its operator
// and is used as it is.
func (b *Bus) ensureStream(ctx context.Context, timeout time.Duration) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s, err := b.js.Stream(ctx, Stream)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		s, err = b.js.CreateStream(ctx, streamConfig(b.opts))
	case err == nil && b.server != nil:
		s, err = b.js.UpdateStream(ctx, streamConfig(b.opts))
	}
	if err != nil {
		return nil, fmt.Errorf("bus: stream %s: %w", Stream, err)
	}
	if !s.CachedInfo().Config.AllowBatchPublish {
		return nil, fmt.Errorf("bus: stream %s has no batch publishing (NATS server %s; 2.14 or newer is needed, and allow_batched on the stream)",
			Stream, b.nc.ConnectedServerVersion())
	}
	return s, nil
}

// lastStored returns the sequence of the newest message that the stream holds
// for session, and false when it holds none.
func (b *Bus) lastStored(ctx context.Context, session string) (int64, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, b.opts.AckTimeout)
	defer cancel()
	m, err := b.stream.GetLastMsgForSubject(ctx, Subject(session))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("bus: last message of %s: %w", session, err)
	}
	seq, err := strconv.ParseInt(m.Header.Get(HeaderSeq), 10, 64)
	if err != nil || seq < 1 {
		return 0, false, fmt.Errorf("bus: last message of %s has the sequence %q", session, m.Header.Get(HeaderSeq))
	}
	return seq, true, nil
}

// Sessions returns the sessions of which the stream holds messages, in no order.
func (b *Bus) Sessions(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	// A handle of its own: Info writes to it, and b.stream is everybody's.
	s, err := b.js.Stream(ctx, Stream)
	if err != nil {
		return nil, fmt.Errorf("bus: list sessions: %w", err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subjectPrefix+"*"))
	if err != nil {
		return nil, fmt.Errorf("bus: list sessions: %w", err)
	}
	ids := make([]string, 0, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		ids = append(ids, strings.TrimPrefix(subject, subjectPrefix))
	}
	worked, err := b.workSessions(ctx)
	if err != nil {
		return nil, fmt.Errorf("bus: list sessions: %w", err)
	}
	ids = append(ids, worked...)
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// Forget removes a session's messages from the stream: for a session that was
// deleted, whose words should not stay on the bus until they age out.
func (b *Bus) Forget(ctx context.Context, session string) error {
	if err := b.stream.Purge(ctx, jetstream.WithPurgeSubject(Subject(session))); err != nil {
		return fmt.Errorf("bus: forget %s: %w", session, err)
	}
	return b.forgetWork(ctx, session)
}
