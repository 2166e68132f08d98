package turn

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
)

// Local is the [Engine] that runs turns in this process.
//
// It owns one goroutine per running turn and one that listens for interrupts
// from other processes; [Local.Close] ends them all. A turn's goroutine is
// never a request's: the caller that started it may go away.
type Local struct {
	o Options

	// life ends when the engine closes; every turn's context comes from it.
	life   context.Context
	end    context.CancelFunc
	turns  sync.WaitGroup
	slots  chan struct{}
	mu     sync.Mutex
	closed bool
	active map[string]*running
	queues map[string]*queue
	keys   map[string]chan struct{}
}

var _ Engine = (*Local)(nil)

// Options are the parts that a [Local] stands on and the limits it keeps.
// Every pointer is required unless it says otherwise.
type Options struct {
	Store    *session.Store
	Root     *persona.Root
	Provider model.Provider
	Planner  *attachment.Planner
	Prices   model.Prices
	Logger   *slog.Logger
	// Clock tells the time of records; NewID makes turn ids.
	Clock func() time.Time
	NewID func() string

	// Rules hold for every turn; RulesFor, when set, gives those of a project,
	// which may have tightened them. It is asked at the start of each turn.
	Rules    Rules
	RulesFor func(projectRoot string) (Rules, error)
	// UploadBytes caps one upload; ScratchDir holds the files of a dry run
	// while it lasts.
	UploadBytes int64
	ScratchDir  string

	// GlobalModel is the model tier between opts and AGENTS.md.
	GlobalModel string
	// SubagentsEnabled is the environment gate's raw value (workspace 9.7);
	// SubagentsWarn is the evaluation time that is worth a warning, 0 for none.
	SubagentsEnabled string
	SubagentsWarn    time.Duration
}

// Rules are what a project may make stricter.
type Rules struct {
	// Policy admits a turn's attachments. With ConfineAttachments its roots are
	// the session's project; otherwise Policy.Roots stands.
	Policy             attachment.Policy
	ConfineAttachments bool
	// DefaultModel is the last tier of the model chain.
	DefaultModel string
	Limits       Limits
}

// rules returns those of a project.
func (l *Local) rules(projectRoot string) (Rules, error) {
	if l.o.RulesFor == nil {
		return l.o.Rules, nil
	}
	return l.o.RulesFor(projectRoot)
}

// Limits bound a turn. Each is a configuration key of the same meaning; zero
// means no limit only where it says so.
type Limits struct {
	// Stall ends a turn whose provider sends no bytes; Wall ends any turn.
	Stall, Wall time.Duration
	// MaxTurns bounds the model calls of a turn, MaxTokens its output (0: the
	// model's own maximum), MaxCostUSD its price (0: none).
	MaxTurns   int
	MaxTokens  int64
	MaxCostUSD float64
	// MessageBytes caps the user's words, NotesBytes the project's AGENTS.md,
	// AnswerBytes what one model call may send.
	MessageBytes, NotesBytes, AnswerBytes int64
	// QueueLength and QueueWait bound the line behind a busy session.
	QueueLength int
	QueueWait   time.Duration
	// IdempotencyTTL is how long a key is remembered.
	IdempotencyTTL time.Duration
	// InFlight bounds the turns that run at once in this process.
	InFlight int
	// DeltaInterval and DeltaBytes bound how often text becomes an event.
	DeltaInterval time.Duration
	DeltaBytes    int
}

// NewLocal returns an engine that takes turns until it is closed.
func NewLocal(o Options) *Local {
	life, end := context.WithCancel(context.Background())
	l := &Local{
		o: o, life: life, end: end,
		slots:  make(chan struct{}, o.Rules.Limits.InFlight),
		active: map[string]*running{},
		queues: map[string]*queue{},
		keys:   map[string]chan struct{}{},
	}
	l.turns.Go(l.listen)
	return l
}

// Running is the number of turns under way in this process.
func (l *Local) Running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.active)
}

// Close refuses new turns, waits for the running ones until ctx is done, then
// interrupts what is left and waits for it to end cleanly.
func (l *Local) Close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		for _, t := range l.snapshot() {
			<-t.done
		}
	}()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = ctx.Err()
		for _, t := range l.snapshot() {
			t.stop(errInterrupted)
		}
	}
	<-idle
	l.end()
	l.turns.Wait()
	return err
}

func (l *Local) snapshot() []*running {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]*running, 0, len(l.active))
	for _, t := range l.active {
		all = append(all, t)
	}
	return all
}

// enter takes a place for a turn, or says that the engine is full or closing.
func (l *Local) enter() error {
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	if closed {
		return fault.New(fault.Overloaded, "the server is shutting down")
	}
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
		return fault.New(fault.Overloaded, "%d turns are already running (server.max_turns_in_flight)", cap(l.slots))
	}
}

func (l *Local) leave() { <-l.slots }

// Interrupt stops the session's turn, wherever on this machine it runs.
func (l *Local) Interrupt(_ context.Context, sessionID string) error {
	if l.interruptHere(sessionID) {
		return nil
	}
	return l.o.Store.RequestInterrupt(sessionID)
}

func (l *Local) interruptHere(sessionID string) bool {
	l.mu.Lock()
	t := l.active[sessionID]
	l.mu.Unlock()
	if t == nil {
		return false
	}
	t.stop(errInterrupted)
	return true
}

// listen carries interrupts from other processes to the turns of this one.
func (l *Local) listen() {
	for id := range l.o.Store.Interrupts(l.life) {
		l.interruptHere(id)
	}
}

// The causes for which the engine itself ends a turn's context.
var (
	errInterrupted = errors.New("interrupted")
	errStalled     = errors.New("the provider stalled")
	errWall        = errors.New("the turn's time is up")
)
