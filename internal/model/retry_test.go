package model_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/model"
)

// attempts is a provider whose n-th call plays the n-th list of chunks and
// errors.
type attempts struct {
	model.Provider
	plays [][]any
	made  int
}

func (a *attempts) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	play := a.plays[min(a.made, len(a.plays)-1)]
	a.made++
	return func(yield func(model.Chunk, error) bool) {
		for _, step := range play {
			switch s := step.(type) {
			case error:
				yield(nil, s)
				return
			case model.Chunk:
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

func busy(after time.Duration) error {
	return model.UpstreamFailure("test", 429, "rate_limit_error", "slow down", after, errors.New("429"))
}

func collect(seq iter.Seq2[model.Chunk, error]) (chunks []model.Chunk, err error) {
	for c, e := range seq {
		if e != nil {
			return chunks, e
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

func TestWithRetry(t *testing.T) {
	t.Parallel()
	hello, stop := model.TextDelta{Text: "hello"}, model.Stop{Reason: model.StopEndTurn}
	wrongKey := model.UpstreamFailure("test", 401, "authentication_error", "no", 0, nil)
	again := func(n int, after time.Duration) model.Chunk {
		return model.Retry{Attempt: n, After: after, Cause: "slow down"}
	}
	tests := []struct {
		name  string
		plays [][]any
		want  []model.Chunk
		calls int
		fails bool
	}{
		{"success at once", [][]any{{hello, stop}}, []model.Chunk{hello, stop}, 1, false},
		{
			"waits double",
			[][]any{{busy(0)}, {model.Alive{}, busy(0)}, {hello, stop}},
			[]model.Chunk{again(1, time.Second), model.Alive{}, again(2, 2*time.Second), hello, stop},
			3, false,
		},
		{
			"the service's wish counts",
			[][]any{{busy(7 * time.Second)}, {stop}},
			[]model.Chunk{again(1, 7*time.Second), stop},
			2, false,
		},
		{
			"also the longest that there may be",
			[][]any{{busy(10 * time.Second)}, {stop}},
			[]model.Chunk{again(1, 10*time.Second), stop},
			2, false,
		},
		{"a longer one ends the call", [][]any{{busy(10*time.Second + 1)}, {stop}}, nil, 1, true},
		{
			"at any attempt",
			[][]any{{busy(0)}, {busy(time.Hour)}, {stop}},
			[]model.Chunk{again(1, time.Second)},
			2, true,
		},
		{"never after content", [][]any{{hello, busy(0)}}, []model.Chunk{hello}, 1, true},
		{"usage is not content", [][]any{{model.Usage{InputTokens: 1}, busy(0)}, {stop}}, []model.Chunk{model.Usage{InputTokens: 1}, again(1, time.Second), stop}, 2, false},
		{"nor is a notice", [][]any{{model.Notice{Code: "C"}, busy(0)}, {stop}}, []model.Chunk{model.Notice{Code: "C"}, again(1, time.Second), stop}, 2, false},
		{"not what cannot pass", [][]any{{wrongKey}}, nil, 1, true},
		{
			"gives up",
			[][]any{{busy(0)}},
			[]model.Chunk{again(1, time.Second), again(2, 2*time.Second), again(3, 4*time.Second)},
			4, true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &attempts{plays: tt.plays}
			r := model.WithRetry(p, model.RetryPolicy{
				Attempts: 4, Base: time.Second, Max: 10 * time.Second,
				Sleep:  func(context.Context, time.Duration) error { return nil },
				Jitter: func() float64 { return 1 },
			})
			got, err := collect(r.Stream(t.Context(), model.Request{}))
			if (err != nil) != tt.fails {
				t.Errorf("error %v, want one: %v", err, tt.fails)
			}
			if err != nil && !fault.Is(err, fault.SDKFailure) {
				t.Errorf("error %v is no SDK_FAILURE", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("chunks (-want +got):\n%s", diff)
			}
			if p.made != tt.calls {
				t.Errorf("%d calls, want %d", p.made, tt.calls)
			}
		})
	}
}

// A service that wants to be left alone for longer than there is patience for is
// obeyed, and who asked learns from when on it may be called again.
func TestLongWaitsAreNamed(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 4, 5, 600_000_000, time.FixedZone("elsewhere", 3600))
	policy := model.RetryPolicy{
		Attempts: 3, Max: time.Minute, Now: func() time.Time { return now },
		Sleep: func(context.Context, time.Duration) error { return errors.New("it waited") },
	}
	after := 90*time.Minute + 100*time.Millisecond
	_, streamed := collect(model.WithRetry(&attempts{plays: [][]any{{busy(after)}}}, policy).Stream(t.Context(), model.Request{}))
	b := &booting{errs: []error{busy(after)}}
	booted := model.WithRetry(b, policy).(model.Bootstrapper).Bootstrap(t.Context(), model.Request{}, true)
	for _, err := range []error{streamed, booted} {
		f := fault.From(err)
		want := "slow down; the provider asks to wait 1 h 30 min, until 2030-01-02T03:34:07Z"
		if f == nil || f.Message != want || f.Status != 429 || f.Hint != "wait until 2030-01-02T03:34:07Z, then send the turn again" {
			t.Fatalf("failed with %+v, want %q", f, want)
		}
		if f.Details[model.RetryAt] != "2030-01-02T03:34:07Z" || f.Details["retryAfterSeconds"] != int64(5401) {
			t.Errorf("details %v", f.Details)
		}
	}
}

func TestWithRetryStopsWaitingWhenCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := &attempts{plays: [][]any{{busy(0)}}}
	r := model.WithRetry(p, model.RetryPolicy{Attempts: 5, Base: time.Hour, Max: time.Hour})
	var last error
	for c, err := range r.Stream(ctx, model.Request{}) {
		if _, ok := c.(model.Retry); ok {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) || p.made != 1 {
		t.Errorf("ended with %v after %d calls, want a cancel after 1", last, p.made)
	}
}

func TestRetryJitterStaysInUpperHalf(t *testing.T) {
	t.Parallel()
	for _, j := range []float64{0, 0.5, 1} {
		p := &attempts{plays: [][]any{{busy(0)}, {model.Stop{}}}}
		r := model.WithRetry(p, model.RetryPolicy{
			Attempts: 2, Base: 8 * time.Second, Max: time.Minute,
			Sleep:  func(context.Context, time.Duration) error { return nil },
			Jitter: func() float64 { return j },
		})
		chunks, _ := collect(r.Stream(t.Context(), model.Request{}))
		got := chunks[0].(model.Retry).After
		if want := 4*time.Second + time.Duration(j*float64(4*time.Second)); got != want {
			t.Errorf("jitter %v waits %v, want %v", j, got, want)
		}
	}
}

type booting struct {
	*attempts
	errs  []error
	calls int
}

func (b *booting) Bootstrap(context.Context, model.Request, bool) error {
	b.calls++
	return b.errs[b.calls-1]
}

func TestWithRetryBootstrap(t *testing.T) {
	t.Parallel()
	noSleep := func(context.Context, time.Duration) error { return nil }
	b := &booting{errs: []error{busy(0), nil}}
	boot, ok := model.WithRetry(b, model.RetryPolicy{Attempts: 3, Sleep: noSleep}).(model.Bootstrapper)
	if !ok {
		t.Fatal("a bootstrapper is none any more with retries")
	}
	if err := boot.Bootstrap(t.Context(), model.Request{}, true); err != nil || b.calls != 2 {
		t.Errorf("bootstrap: %v after %d calls, want success after 2", err, b.calls)
	}
	if _, ok := model.WithRetry(&attempts{}, model.RetryPolicy{}).(model.Bootstrapper); ok {
		t.Error("a provider without bootstrap step has one with retries")
	}
}

func TestUpstreamFailure(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status    int
		kind      string
		want      int
		category  model.Category
		transient bool
	}{
		{401, "", 401, model.InvalidAPIKey, false},
		{403, "permission_error", 403, model.InvalidAPIKey, false},
		{429, "", 429, model.RateLimited, true},
		{408, "", 408, model.APIResponseError, true},
		{400, "", 400, model.APIResponseError, false},
		{500, "", 500, model.APIResponseError, true},
		{0, "overloaded_error", 529, model.APIResponseError, true},
		{200, "authentication_error", 401, model.InvalidAPIKey, false},
		{0, "rate_limit_error", 429, model.RateLimited, true},
		{0, "something_new", 502, model.APIResponseError, true},
	}
	for _, tt := range tests {
		e := model.UpstreamFailure("p", tt.status, tt.kind, "", 0, nil)
		var transient *model.TransientError
		if e.Status != tt.want || e.Details["category"] != string(tt.category) || errors.As(e, &transient) != tt.transient {
			t.Errorf("%d %q gives %d %v transient=%v, want %d %s transient=%v", tt.status, tt.kind,
				e.Status, e.Details["category"], !tt.transient, tt.want, tt.category, tt.transient)
		}
		if e.Message == "" || e.Details["provider"] != "p" {
			t.Errorf("%d %q: message %q, details %v", tt.status, tt.kind, e.Message, e.Details)
		}
	}
}
