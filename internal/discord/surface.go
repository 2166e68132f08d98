package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/crash"
	"belay/internal/discord/client"
	"belay/internal/discord/message"
	"belay/internal/discord/record"
	"belay/internal/fault"
)

// Surface is the connection of belay to Discord.
type Surface struct {
	o      Options
	client *client.Client
	store  *record.Store
	log    *slog.Logger

	work sync.WaitGroup // all goroutines of Run
	wake chan struct{}  // a burst has a new end
	// acting bounds the interactions that are dealt with at a time.
	acting chan struct{}

	mu       sync.Mutex
	life     context.Context // of Run
	bot      message.Author
	channels map[string]*channel
	parents  map[string]string // of threads
	tiers    map[string]int    // boost levels of servers
	code     string            // for /link, used once
}

// New returns a surface. The caller closes it.
func New(o Options) (*Surface, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	c, err := client.New(o.Token, client.Options{API: o.API, Logger: o.Logger})
	if err != nil {
		return nil, tokenFault(err)
	}
	store, err := record.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	return &Surface{
		o: o, client: c, store: store, log: o.Logger, wake: make(chan struct{}, 1), acting: make(chan struct{}, maxActing),
		channels: map[string]*channel{}, parents: map[string]string{}, tiers: map[string]int{},
	}, nil
}

// guarded does what a message, a button or an answer asks for, and reports whether it came to
// its end. A panic there is on the log, and Discord stays connected: what was under way would
// crash every process after this one.
func guarded(log *slog.Logger, f func()) bool {
	err := crash.Caught(func() error { f(); return nil })()
	if err != nil {
		log.Error("Discord: a message could not be dealt with", "error", err)
	}
	return err == nil
}

// maxActing is how many interactions are dealt with at a time.
const maxActing = 64

// Close gives up the folder. Run must have returned.
func (s *Surface) Close() error {
	s.client.Close()
	return s.store.Close()
}

// tokenFault is the error for a token that Discord does not accept.
func tokenFault(err error) error {
	return fault.New(fault.MissingAPIKey, "Discord does not accept the bot's token").
		WithHint("copy the token from the page Bot of Discord's developer portal into BELAY_DISCORD_TOKEN").Because(err)
}

// signals are what the surface follows on the bus.
var signals = []contract.Type{contract.TypeLifecycleChanged, contract.TypeReanchor, contract.TypeDecisionOpened, contract.TypeDecisionClosed}

// Run works until ctx is done, which is no error, or until Discord or the bus does not
// let it work. It is called once. All its goroutines have ended when it returns.
func (s *Surface) Run(ctx context.Context) error {
	life, end := context.WithCancelCause(ctx)
	defer s.work.Wait()
	defer end(nil)
	s.life = life
	if err := s.introduce(life); err != nil {
		return s.ended(ctx, err)
	}
	absences{s}.begin(life)
	if err := (restoration{s}).restore(life); err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	slash{s}.newCode()
	s.work.Go(func() { s.schedule(life) })
	s.work.Go(func() {
		if err := s.o.Bus.Follow(life, "surface", signals, s.signal); err != nil {
			end(err)
		}
	})
	for failures := 0; ; failures++ {
		err := s.client.Connect(life, func(e client.Event) { guarded(s.log, func() { s.handle(e) }) })
		if life.Err() != nil {
			if cause := context.Cause(life); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
				return cause
			}
			return nil
		}
		if client.KindOf(err) != client.Temporary {
			return s.ended(ctx, err)
		}
		s.log.Warn("Discord cannot be reached", "reason", client.ReasonOf(err))
		if !pause(life, failures) {
			return s.ended(ctx, nil)
		}
	}
}

// ended is the error of Run for one of the client.
func (s *Surface) ended(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil || err == nil:
		return nil
	case client.KindOf(err) == client.Revoked:
		return tokenFault(err)
	}
	return fmt.Errorf("discord: %w", err)
}

// introduce learns who the bot is, and sets its commands.
func (s *Surface) introduce(ctx context.Context) error {
	err := s.persist(ctx, "introduce the bot", math.MaxInt, func() error {
		id, name, err := s.client.Self(ctx)
		if err == nil {
			s.mu.Lock()
			s.bot = message.Author{ID: id, Name: name, Bot: true}
			s.mu.Unlock()
		}
		return err
	})
	if err != nil {
		return err
	}
	set := func() error { return s.client.SetCommands(ctx, commands) }
	err = set()
	if is(err, client.Temporary) { // people can talk to the bot meanwhile
		s.work.Go(func() { s.commandsSet(ctx, s.persist(ctx, "set the commands of the bot", math.MaxInt, set)) })
		return nil
	}
	s.commandsSet(ctx, err)
	return nil
}

// commandsSet says where the commands could not be set for good.
func (s *Surface) commandsSet(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		s.log.Warn("the commands of the bot could not be set", "reason", client.ReasonOf(err))
	}
}

// persist repeats f while its error passes by itself: as long as Discord is away, and so many
// times where it answers otherwise. A signal of the bus is given up after a few deliveries,
// which an outage of Discord outlasts.
func (s *Surface) persist(ctx context.Context, what string, most int, f func() error) error {
	for failures := 0; ; failures++ {
		err := f()
		if err == nil || ctx.Err() != nil || client.KindOf(err) != client.Temporary || failures >= most && !s.away(ctx) {
			return err
		}
		s.log.Warn("Discord: "+what, "reason", client.ReasonOf(err), "failures", failures+1)
		if !pause(ctx, failures) {
			return ctx.Err()
		}
	}
}

// away reports whether Discord answers nothing at all.
func (s *Surface) away(ctx context.Context) bool {
	_, _, err := s.client.Self(ctx)
	return is(err, client.Temporary)
}

// pause waits longer after each failure, 30 s at most, and reports false when ctx
// ended first.
func pause(ctx context.Context, failures int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(min(time.Second<<min(failures, 5), 30*time.Second)):
		return true
	}
}
