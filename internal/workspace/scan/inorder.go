package scan

import (
	"context"
	"sync"

	"belay/internal/crash"
)

// ahead is how many outcomes may wait for an earlier one.
const ahead = 64

// InOrder looks at n things with several goroutines, and calls take with each outcome in
// the order of the things, never twice at a time. It keeps few outcomes in memory. Start
// begins a goroutine: look is called with the number of a thing, end when there is none
// left. The error is ctx's. A panic of a goroutine becomes one of the caller.
func InOrder[R any](ctx context.Context, goroutines, n int, start func() (look func(int) R, end func()), take func(int, R)) error {
	var (
		mu          sync.Mutex
		moved       = sync.NewCond(&mu)
		next, taken int
		waiting     = map[int]R{}
		given, stop = context.WithCancel(ctx)
	)
	defer stop()
	all := crash.Group{Stop: func() {
		stop()
		mu.Lock()
		defer mu.Unlock()
		moved.Broadcast()
	}}
	claim := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		for next-taken >= ahead && next < n && given.Err() == nil {
			moved.Wait()
		}
		if next >= n || given.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	deliver := func(i int, r R) {
		mu.Lock()
		defer mu.Unlock()
		waiting[i] = r
		for r, ok := waiting[taken]; ok; r, ok = waiting[taken] {
			delete(waiting, taken)
			take(taken, r)
			taken++
		}
		moved.Broadcast()
	}
	for range min(goroutines, n) {
		all.Go(func() {
			look, end := start()
			defer end()
			for i, ok := claim(); ok; i, ok = claim() {
				deliver(i, look(i))
			}
		})
	}
	all.Wait()
	return ctx.Err()
}
