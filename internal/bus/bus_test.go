package bus

import (
	"context"
	"log/slog"
	"testing"
	"time"
)

// deadline bounds every wait of a test; it is reached only by a failure.
const deadline = 5 * time.Minute

func openBus(t testing.TB, opts Options) *Bus {
	t.Helper()
	if opts.Dir == "" && opts.URL == "" {
		opts.Dir = t.TempDir()
	}
	if opts.AckTimeout == 0 {
		opts.AckTimeout = 20 * time.Second
	}
	opts.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	b, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeIt(t, b.Close) })
	return b
}

// closeIt closes within the deadline; closing twice is allowed.
func closeIt(t testing.TB, f func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := f(ctx); err != nil {
		t.Error(err)
	}
}

// until polls cond, which has no event to wait for, within the deadline.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	end := time.Now().Add(deadline)
	for !cond() {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, deadline)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
