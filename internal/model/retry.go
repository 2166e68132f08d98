package model

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"

	"belay/internal/fault"
	"belay/internal/quantity"
)

// TransientError marks a failure that may pass by itself: too many requests,
// an overloaded or failing service, a broken connection. A provider puts it in
// the chain of its *fault.Error; whether and when to try again is decided by
// [WithRetry] alone.
type TransientError struct {
	// After is how long the service asked to wait; 0 when it did not say.
	After time.Duration
	// Err is the cause.
	Err error
}

// Error implements error.
func (e *TransientError) Error() string {
	if e.Err == nil {
		return "transient failure"
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *TransientError) Unwrap() error { return e.Err }

// RetryBase is the usual [RetryPolicy.Base]: long enough for a connection that broke.
const RetryBase = 500 * time.Millisecond

// RetryPolicy says how often and how patiently a call is tried.
type RetryPolicy struct {
	// Attempts is the most calls made for one request, the first included.
	// Below 2 there are no retries.
	Attempts int
	// Base is the wait before the second attempt; it doubles from there.
	Base time.Duration
	// Max caps every wait. A service that asks for a longer one is not called again:
	// the failure says when to try.
	Max time.Duration
	// Sleep waits for d or until ctx is done, whose error it then returns. Nil
	// sleeps in real time.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter returns a number from 0 to 1; it spreads the waits of many turns
	// over the upper half of each interval. Nil takes random ones.
	Jitter func() float64
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// next says how long to wait after the attempt-th call (from 1) failed. When it is
// not to be made again, it returns the failure to end with.
func (p RetryPolicy) next(ctx context.Context, attempt int, failed error) (time.Duration, error) {
	var e *TransientError
	switch {
	case ctx.Err() != nil || !errors.As(failed, &e):
		return 0, failed
	case e.After > p.Max:
		return 0, p.dated(failed, e.After)
	case attempt >= p.Attempts:
		return 0, failed
	}
	return p.wait(attempt, e), nil
}

// RetryAt is the detail of a failure that says from when on the service may be called
// again. To call it earlier is in vain.
const RetryAt = "retryAt"

// dated adds to a failure when the service may be called again.
func (p RetryPolicy) dated(failed error, after time.Duration) error {
	after = (after + time.Second - 1).Truncate(time.Second)
	at := p.Now().Add(after + time.Second - 1).UTC().Format(time.RFC3339) // in whole seconds, never too early
	f := fault.From(failed).With("retryAfterSeconds", int64(after/time.Second)).With(RetryAt, at)
	f.Message += "; the provider asks to wait " + quantity.Duration(after) + ", until " + at
	return f.WithHint("wait until %s, then send the turn again", at)
}

// wait is the pause after the attempt-th call (from 1) failed with e.
func (p RetryPolicy) wait(attempt int, e *TransientError) time.Duration {
	d := p.Base
	for range attempt - 1 {
		if d >= p.Max/2 {
			d = p.Max
			break
		}
		d *= 2
	}
	d = d/2 + time.Duration(float64(d/2)*p.Jitter())
	return min(max(d, e.After), max(p.Max, 0))
}

// WithRetry returns p with retries: a call that failed with a [TransientError]
// before any content is made again, after a [Retry] chunk that says so. Once
// the answer has begun, nothing is retried: the reader has seen it.
//
// It is the one place of retries; the clients below it have theirs switched
// off. The result implements [Bootstrapper] if p does.
func WithRetry(p Provider, policy RetryPolicy) Provider {
	if policy.Sleep == nil {
		policy.Sleep = Sleep
	}
	if policy.Jitter == nil {
		policy.Jitter = rand.Float64
	}
	if policy.Now == nil {
		policy.Now = time.Now
	}
	r := retrying{p, policy}
	if b, ok := p.(Bootstrapper); ok {
		return retryingBootstrapper{r, b}
	}
	return r
}

type retrying struct {
	Provider
	policy RetryPolicy
}

// Stream implements [Provider].
func (r retrying) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for attempt := 1; ; attempt++ {
			failed, done := r.once(ctx, req, yield)
			if done {
				return
			}
			after, final := r.policy.next(ctx, attempt, failed)
			if final != nil {
				yield(nil, final)
				return
			}
			if !yield(Retry{Attempt: attempt, After: after, Cause: fault.From(failed).Message}, nil) {
				return
			}
			if err := r.policy.Sleep(ctx, after); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// once makes one call. It returns the failure of a call that gave no content,
// or done when nothing is left to do.
func (r retrying) once(ctx context.Context, req Request, yield func(Chunk, error) bool) (failed error, done bool) {
	content := false
	for c, err := range r.Provider.Stream(ctx, req) {
		if err != nil && !content {
			return err, false
		}
		switch c.(type) {
		case Alive, Usage, Retry, Notice:
		default:
			content = true
		}
		if !yield(c, err) || err != nil {
			return nil, true
		}
	}
	return nil, true
}

type retryingBootstrapper struct {
	retrying
	b Bootstrapper
}

// Bootstrap implements [Bootstrapper].
func (r retryingBootstrapper) Bootstrap(ctx context.Context, req Request, probe bool) error {
	for attempt := 1; ; attempt++ {
		failed := r.b.Bootstrap(ctx, req, probe)
		if failed == nil {
			return nil
		}
		after, final := r.policy.next(ctx, attempt, failed)
		if final != nil {
			return final
		}
		if err := r.policy.Sleep(ctx, after); err != nil {
			return err
		}
	}
}

// Sleep waits for d in real time, or until ctx is done, whose cause it returns.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
