package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
)

// Limits of the streams of work.
const (
	// maxRequests is how many requests may wait or run at once. A further one is
	// refused: its surface says so to the person.
	maxRequests     = 4096
	maxRequestBytes = 64 << 20
	maxOutputBytes  = 256 << 20
	maxSignalBytes  = 64 << 20
	maxDead         = 10_000
	maxDeadBytes    = 16 << 20
	deadAge         = 30 * 24 * time.Hour
	// remembered is how long a stream knows the ids of messages, so how long after
	// a crash a producer may publish again. It costs about 150 bytes a message. The
	// output knows the last message of each request as well, and needs less.
	remembered       = 2 * time.Hour
	rememberedOutput = 2 * time.Minute
)

const deadPrefix = "belay.v1.dead."

// workStreams are the streams of the contract's messages.
func workStreams() []jetstream.StreamConfig {
	stream := func(name, description string, bytes int64) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: name, Description: description, Subjects: contract.Subjects(name), Storage: jetstream.FileStorage,
			Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, MaxBytes: bytes, MaxAge: MaxAge,
			Duplicates: remembered, AllowDirect: true,
		}
	}
	requests := stream(contract.StreamRequests, "requests of surfaces, until they were dealt with", maxRequestBytes)
	requests.Retention, requests.Discard = jetstream.WorkQueuePolicy, jetstream.DiscardNew
	requests.MaxMsgs, requests.MaxAge = maxRequests, 0 // a request does not age out, it is dealt with
	out := stream(contract.StreamOutput, "outputs of requests", maxOutputBytes)
	out.Duplicates = rememberedOutput
	dead := stream(contract.StreamDead, "evidence of messages that could not be dealt with", maxDeadBytes)
	dead.Subjects, dead.MaxMsgs, dead.MaxAge = []string{deadPrefix + "*"}, maxDead, deadAge
	return []jetstream.StreamConfig{
		requests, out, stream(contract.StreamSignals, "what surfaces hear of messages, requests and questions", maxSignalBytes), dead,
	}
}

// storeLimit is what the embedded server may keep on disk: all streams, and as
// much again while they are compacted.
func storeLimit() int64 {
	sum := int64(maxObjectBytes)
	for _, s := range workStreams() {
		sum += s.MaxBytes
	}
	return 2*sum + 1<<20
}

// ensureStreams creates the streams, or brings those of the embedded server to their
// limits. Streams of an external cluster belong to its operator and are used as they are.
func (b *Bus) ensureStreams(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, c := range workStreams() {
		_, err := b.js.Stream(ctx, c.Name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			_, err = b.js.CreateStream(ctx, c)
		case err == nil && b.server != nil:
			_, err = b.js.UpdateStream(ctx, c)
		}
		if err != nil {
			return fmt.Errorf("bus: stream %s: %w", c.Name, err)
		}
	}
	return nil
}

// Sessions returns the sessions of which the streams hold messages, in order.
func (b *Bus) Sessions(ctx context.Context) (ids []string, err error) {
	for _, name := range []string{contract.StreamOutput, contract.StreamSignals, contract.StreamRequests} {
		s, err := b.js.Stream(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("bus: list sessions: %w", err)
		}
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(">"))
		if err != nil {
			return nil, fmt.Errorf("bus: list sessions: %w", err)
		}
		for subject := range info.State.Subjects {
			if id := contract.SessionOf(subject); id != "" {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// Forget removes a session's requests, outputs, signals and copies of files: for a session
// that was deleted, whose words should not stay on the bus until they age out.
func (b *Bus) Forget(ctx context.Context, session string) error {
	for _, c := range workStreams() {
		if c.Name == contract.StreamDead {
			continue // it has nothing of the messages' texts
		}
		s, err := b.js.Stream(ctx, c.Name)
		if err != nil {
			return fmt.Errorf("bus: forget %s: %w", session, err)
		}
		for _, subject := range contract.SubjectsOf(c.Name, session) {
			if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
				return fmt.Errorf("bus: forget %s: %w", session, err)
			}
		}
	}
	return b.forgetObjects(ctx, session)
}
