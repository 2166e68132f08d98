package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// How long is waited before a download is tried again: twice as long each time, and
// never longer than maxDelay, unless the server asks for more, up to maxAsked. What
// asks for more than that is not tried again.
const (
	firstDelay = 500 * time.Millisecond
	maxDelay   = 10 * time.Second
	maxAsked   = 30 * time.Second
)

// Retrying is d with at least so many retries. Both share their limits and files; d is
// the one to close.
func (d *Downloads) Retrying(retries int) *Downloads {
	if retries <= d.o.Retries {
		return d
	}
	more := *d
	more.o.Retries = retries
	return &more
}

// retried calls try until it succeeds, fails for good, or has failed once more than
// there are retries.
func (d *Downloads) retried(ctx context.Context, try func() (*File, error)) (*File, error) {
	for n := 0; ; n++ {
		f, err := try()
		var e *Error
		if err == nil || !errors.As(err, &e) {
			return f, err
		}
		delay := max(min(firstDelay<<min(n, 10), maxDelay), e.after)
		if !e.transient || n >= d.o.Retries || delay > maxAsked {
			if n > 0 {
				e.Reason += fmt.Sprintf(" (tried %d times)", n+1)
			}
			return nil, e
		}
		if err := d.o.Wait(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// wait waits for a time, or for ctx's end, which is its error.
func wait(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// passing are the answers of a server that may answer otherwise soon.
var passing = []int{
	http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError,
	http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// badStatus is the error of an answer other than 200.
func badStatus(res *http.Response) *Error {
	e := &Error{Code: BadStatus, Status: res.StatusCode, Reason: fmt.Sprintf("the server answers %d %s", res.StatusCode, http.StatusText(res.StatusCode))}
	e.transient = slices.Contains(passing, res.StatusCode) || res.StatusCode > http.StatusNetworkAuthenticationRequired
	e.after = asked(res.Header.Get("Retry-After"), time.Now())
	return e
}

// asked is how long a server asks to wait: seconds, or a time.
func asked(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(max(0, min(seconds, 1_000_000))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// broken reports whether a connection broke, or could not be made, which may be
// otherwise soon.
func broken(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return slices.Contains([]string{"dial", "read", "write"}, op.Op)
	}
	return errors.Is(err, io.EOF)
}
