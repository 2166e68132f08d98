package load

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Result is what a run of many turns gave.
type Result struct {
	// First and Total are per turn, in no order.
	First, Total []time.Duration
	Events       int
	ReplyBytes   int64
	// Took is the time from the beginning to the end of the last turn.
	Took time.Duration
}

// PerSecond is a count over the time that the run took.
func (r Result) PerSecond(n int64) float64 { return float64(n) / r.Took.Seconds() }

func (r *Result) add(s Sample) {
	r.First = append(r.First, s.First)
	r.Total = append(r.Total, s.Total)
	r.Events += s.Events
	r.ReplyBytes += s.ReplyBytes
}

func (r *Result) merge(o Result) {
	r.First = append(r.First, o.First...)
	r.Total = append(r.Total, o.Total...)
	r.Events += o.Events
	r.ReplyBytes += o.ReplyBytes
}

// Loop keeps one client per session busy with one turn after another: until d
// has passed, or for n turns each when n is not 0. Connections are open before
// the clock starts.
func Loop(ctx context.Context, addr string, sessions []*Session, lineBytes int, d time.Duration, n int) (Result, error) {
	conns, err := dialAll(ctx, addr, len(sessions), lineBytes)
	if err != nil {
		return Result{}, err
	}
	defer closeAll(conns)
	defer context.AfterFunc(ctx, func() { closeAll(conns) })()
	start := time.Now()
	return gather(start, len(sessions), func(i int) (Result, error) {
		var r Result
		for turns := 0; n == 0 && time.Since(start) < d || turns < n; turns++ {
			s, err := conns[i].Turn(sessions[i])
			if err != nil {
				return r, errors.Join(ctx.Err(), err)
			}
			r.add(s)
		}
		return r, nil
	})
}

// Burst sends one turn in every session at one instant, each over a connection
// of its own that is opened in that instant too.
func Burst(ctx context.Context, addr string, sessions []*Session, lineBytes int) (Result, error) {
	release := make(chan struct{})
	var start time.Time
	go func() {
		time.Sleep(100 * time.Millisecond) // every client waits at the line by then
		start = time.Now()
		close(release)
	}()
	r, err := gather(time.Now(), len(sessions), func(i int) (Result, error) {
		<-release
		c, err := Dial(ctx, addr, lineBytes)
		if err != nil {
			return Result{}, err
		}
		defer func() { _ = c.Close() }() // the turn is over or has failed
		s, err := c.turn(sessions[i], start, nil)
		var r Result
		r.add(s)
		return r, err
	})
	r.Took = time.Since(start)
	return r, err
}

// gather runs n clients and adds up their results.
func gather(start time.Time, n int, client func(i int) (Result, error)) (Result, error) {
	results, errs := make([]Result, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { results[i], errs[i] = client(i) })
	}
	wg.Wait()
	total := Result{Took: time.Since(start)}
	for i, r := range results {
		if errs[i] != nil {
			return total, errs[i]
		}
		total.merge(r)
	}
	return total, nil
}

func dialAll(ctx context.Context, addr string, n, lineBytes int) ([]*Conn, error) {
	var conns []*Conn
	for range n {
		c, err := Dial(ctx, addr, lineBytes)
		if err != nil {
			closeAll(conns)
			return nil, err
		}
		conns = append(conns, c)
	}
	return conns, nil
}

func closeAll(conns []*Conn) {
	for _, c := range conns {
		_ = c.Close() // closed at the end, or to end a run that was cancelled
	}
}
