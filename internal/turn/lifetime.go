package turn

import (
	"context"
	"sync"
	"sync/atomic"

	"belay/internal/fault"
	"belay/internal/turn/agent"
)

// lifetime is how long an engine works, and the work that its end waits for.
type lifetime struct {
	// ctx ends when the engine is closed for good; every turn's context comes from it.
	// closing ends before: from then on nobody waits in line or for a person.
	ctx, closing context.Context
	end          context.CancelCauseFunc
	beginClosing context.CancelFunc

	// stays is set once this process takes up the turns of dead ones.
	stays atomic.Bool

	// mu keeps work from beginning once closing has ended.
	mu   sync.Mutex
	work sync.WaitGroup
}

func newLifetime() *lifetime {
	ctx, end := context.WithCancelCause(context.Background())
	closing, beginClosing := context.WithCancel(ctx)
	return &lifetime{ctx: ctx, closing: closing, end: end, beginClosing: beginClosing}
}

// enter counts work that close has to wait for: a turn from its first check to its
// lease's release, or a boot. The caller must leave.
func (l *lifetime) enter() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing.Err() != nil {
		return shuttingDown()
	}
	l.work.Add(1)
	return nil
}

func (l *lifetime) leave() { l.work.Done() }

// close lets no more work begin. It waits for the rest until ctx is done; then it
// interrupts the turns and waits for them to end cleanly. It returns ctx's error if it
// had to.
func (l *lifetime) close(ctx context.Context) error {
	l.mu.Lock()
	l.beginClosing()
	l.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		l.work.Wait()
		close(idle)
	}()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = ctx.Err()
		l.end(agent.ErrInterrupted)
		<-idle
	}
	l.end(nil)
	return err
}

func shuttingDown() *fault.Error {
	return fault.New(fault.Overloaded, "the server is shutting down and takes no new turns")
}
