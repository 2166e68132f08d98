package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// lateInterrupt is how long after another program has given the terminal back a Ctrl-C may
// still have been meant for it. The terminal sends it to both, and that program can be gone
// before this process hears of it.
const lateInterrupt = time.Second

// signals end a command: the first one its context, while a second SIGINT or SIGTERM is
// left to the system, which ends the process at once. A second SIGHUP is not: a terminal
// that closes sends one by way of its shell and another by the system, and what is being
// wound up after the first would be cut off. While somebody takes Ctrl-C, that is theirs.
type signals struct {
	mu   sync.Mutex
	take func() bool
}

// listen begins to hear signals. It ends with the context that it returns.
func listen() (*signals, context.Context, context.CancelFunc) {
	heard, hangups := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	if signal.Ignored(syscall.SIGHUP) {
		// nohup has it ignored, and so it stays. But programs inherit what is ignored, not
		// what is heard: in the commands of agents, every signal is at its default.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	} else {
		signal.Notify(hangups, syscall.SIGHUP)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &signals{}
	go func() {
		defer signal.Stop(heard) // the hangups are caught for as long as the process lives
		defer cancel()
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				return
			case sig := <-heard:
				if sig != os.Interrupt || !s.taken() {
					return
				}
			}
		}
	}()
	return s, ctx, cancel
}

func (s *signals) taken() bool {
	s.mu.Lock()
	take := s.take
	s.mu.Unlock()
	return take != nil && take()
}

// taking has take asked about each Ctrl-C until done is called; one that it does not
// take ends the command. A nil receiver hears none.
func (s *signals) taking(take func() bool) (done func()) {
	set := func(f func() bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.take = f
	}
	if s == nil {
		return func() {}
	}
	set(take)
	return func() { set(nil) }
}

// lend is for another program that gets the terminal: a Ctrl-C is meant for that program
// until back is called.
func (s *signals) lend() (back func()) {
	s.taking(func() bool { return true })
	return func() {
		late := time.Now().Add(lateInterrupt)
		s.taking(func() bool { return time.Now().Before(late) })
	}
}
