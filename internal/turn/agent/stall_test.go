package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"belay/internal/model"
)

// What a provider sends, at which time, and when that ends the turn.
func TestProviderWatch(t *testing.T) {
	t.Parallel()
	const limit = 90 * time.Second
	ping, held, words := model.Alive{}, model.Alive{Content: true}, model.TextDelta{Text: "x"}
	var taken model.Chunk // no chunk: a part of the request was taken
	every := func(d, until time.Duration, c model.Chunk) (all []timed) {
		for at := d; at <= until; at += d {
			all = append(all, timed{at, c})
		}
		return all
	}
	tests := []struct {
		name  string
		sent  []timed
		cause error
		at    time.Duration
	}{
		{"nothing", nil, errStalled, limit},
		{"nothing after a word", []timed{{time.Minute, words}}, errStalled, time.Minute + limit},
		{"nothing after a ping", []timed{{time.Minute, ping}}, errStalled, time.Minute + limit},
		{"pings for ever", every(15*time.Second, time.Hour, ping), errNoContent, 10 * limit},
		{"usage is content", append([]timed{{time.Second, model.Usage{}}}, every(15*time.Second, time.Hour, ping)...), errNoContent, time.Second + 10*limit},
		{"pings before the first word", append(every(15*time.Second, 14*time.Minute, ping), timed{14*time.Minute + time.Second, words}),
			errStalled, 14*time.Minute + time.Second + limit},
		{"a call that grows slowly", every(time.Minute, time.Hour, held), errStalled, time.Hour + limit},
		{"a wait of our own", []timed{{time.Second, model.Retry{After: time.Hour}}}, errStalled, time.Second + time.Hour + limit},
		{"a request that is taken in a wait of our own", []timed{{time.Second, model.Retry{After: time.Hour}}, {2 * time.Second, taken}}, errStalled, time.Second + time.Hour + limit},
		{"a request on a slow line", append(every(time.Minute, 10*time.Minute, taken), timed{10*time.Minute + time.Second, words}),
			errStalled, 10*time.Minute + time.Second + limit},
		{"a request that nobody takes further", every(time.Minute, 5*time.Minute, taken), errStalled, 5*time.Minute + limit},
		{"a request that is taken for ever", every(time.Second, time.Hour, taken), errNoContent, 10 * limit},
		{"and pings after it", append([]timed{{0, model.Retry{After: time.Minute}}}, every(15*time.Second, time.Hour, ping)...), errNoContent, time.Minute + 10*limit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancelCause(t.Context())
				began, ended := time.Now(), make(chan time.Duration, 1)
				context.AfterFunc(ctx, func() { ended <- time.Since(began) })
				w := watchProvider(limit, stop)
				defer w.stop()
				for _, s := range tt.sent {
					time.Sleep(s.at - time.Since(began))
					if synctest.Wait(); ctx.Err() != nil {
						break
					}
					if s.chunk == nil {
						w.sent()
					} else if w.saw(s.chunk) != nil {
						break
					}
				}
				took := <-ended
				if cause := context.Cause(ctx); !errors.Is(cause, tt.cause) {
					t.Errorf("ended with %v, want %v", cause, tt.cause)
				}
				if took != tt.at {
					t.Errorf("ended after %v, want %v", took, tt.at)
				}
			})
		})
	}
}

// timed is a chunk at a time after the beginning.
type timed struct {
	at    time.Duration
	chunk model.Chunk
}

// Who sends a request may still do so when its call is over.
func TestSentAfterTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		w := watchProvider(time.Second, stop)
		w.stop()
		w.sent()
		time.Sleep(time.Minute)
		if err := context.Cause(ctx); err != nil {
			t.Errorf("the turn ended: %v", err)
		}
	})
}
