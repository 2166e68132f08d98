// Package pipeline starts agents on the work of a project: it decomposes, prepares, carries
// out tasks, or audits, on the whole project or on a selection of its deliverables.
//
// Start with [New]. [Service.Options] says what can be chosen, and why something cannot.
// [Service.Preview] says what a start would send and may cost. [Service.Start] makes a
// session for each target and starts their turns, a few at once. All sessions of a start are
// a batch: each has a label that names it ([session.Pipeline]), which is the batch's only
// record. So a batch is found again from its sessions, and [Service.Continue] starts those
// that have no turn yet, also after a restart.
//
// A request is checked as a whole before anything is made. What is wrong anywhere in it
// starts nothing.
//
// Contract: workspace 14.3 to 14.5; compatible contract, section 9.
package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/workspace/scan"
)

// Engine is the part of [turn.Engine] that a pipeline uses.
type Engine interface {
	Start(ctx context.Context, r turn.Request) (turn.Stream, error)
	Create(ctx context.Context, r turn.CreateRequest) (session.Record, error)
	List(ctx context.Context, projectRoot string) ([]session.Record, error)
	Delete(ctx context.Context, sessionID string) error
	Transcript(ctx context.Context, sessionID string) ([]session.Entry, error)
	Personas(ctx context.Context) ([]persona.Summary, error)
	Persona(ctx context.Context, name string) (persona.Persona, error)
}

var _ Engine = turn.Engine(nil)

// Options configure a [Service]. Engine, Listing, Quote, Govern and NewID are required.
type Options struct {
	Engine Engine
	// Listing is what a project holds.
	Listing func(ctx context.Context, projectRoot string) (scan.Listing, error)
	// Quote says which model answers turns that ask for one, "" for the usual, and what it costs.
	Quote func(projectRoot, model string) (Quote, error)
	// Govern decides whether a turn may delegate, as the engine will.
	Govern func(projectRoot string, p persona.Persona, metadata json.RawMessage) (persona.Decision, error)
	// NewID makes the ids of batches.
	NewID func() string
	// LockDir is the operator's folder, where the starts with one key of all processes wait for
	// each other; "" is for a single process.
	LockDir string
	// Retry is the time between two tries to start a turn while the engine has no free
	// place. Default 1 s.
	Retry time.Duration
	// Logger gets failures of turns that nobody waits for; nil discards them.
	Logger *slog.Logger
}

// Quote is what is known of the price of a turn before it begins.
type Quote struct {
	// Model is the one that answers; Price is nil where none is known.
	Model string
	Price *model.Price
	// Bounded is whether a limit in dollars can hold: also without a price for what is free.
	Bounded bool
	// LimitUSD is what the settings let a turn cost, in US dollars; 0 is no limit.
	LimitUSD float64
}

// Service starts work. It is safe for concurrent use. Its goroutines start the turns of
// batches; [Service.Close] ends them.
type Service struct {
	o Options
	// life ends with the service.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup
	// starting lets one request at a time make sessions, so that a request that is sent
	// twice finds what the first one made.
	starting chan struct{}

	mu      sync.Mutex
	closed  bool
	running map[place]*batch
	failed  failures
}

// New returns a service.
func New(o Options) *Service {
	o.Retry = cmp.Or(o.Retry, time.Second)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	s := &Service{o: o, starting: make(chan struct{}, 1), running: map[place]*batch{}}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Close begins no more turns and waits for the service's goroutines. Running turns go on.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.work.Wait()
}

// alone waits for its turn to make sessions of a batch, which is known before it is made where
// the request has a key. The caller calls the result when it is done.
func (s *Service) alone(ctx context.Context, at place) (release func(), err error) {
	unlock, err := s.lock(ctx, at)
	if err != nil {
		return nil, err
	}
	select {
	case s.starting <- struct{}{}:
		return func() { <-s.starting; unlock() }, nil
	case <-ctx.Done():
		unlock()
		return nil, context.Cause(ctx)
	}
}

// lock waits for other processes that make sessions of the batch. It comes before the place in
// this process: a server that hangs holds up starts under that key alone.
func (s *Service) lock(ctx context.Context, at place) (unlock func(), err error) {
	if s.o.LockDir == "" {
		return func() {}, nil
	}
	sum := sha256.Sum256([]byte(at.projectRoot + "\x00" + at.batch))
	err = os.MkdirAll(s.o.LockDir, 0o700)
	var l *durable.FileLock
	if err == nil {
		l, err = durable.WaitLock(ctx, filepath.Join(s.o.LockDir, "pipeline-"+hex.EncodeToString(sum[:16])+".lock"))
	}
	if ctx.Err() != nil && err != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fault.New(fault.StorageFailure, "the start cannot be locked").Because(err).WithHint("let belay write to its state folder")
	}
	return func() { _ = l.Remove() }, nil // a lock that stays is in nobody's way
}
