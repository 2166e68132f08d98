package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/gather"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/redact"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/workflow/run"
	"belay/internal/workspace/snapshot"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reply is how a turn of the fake engine goes.
type reply struct {
	text   string
	reason string // of the stop, end_turn for ""
	fails  string // the message of a turn that failed
	later  string // when the provider wants to be called again
	hangs  bool   // until it is interrupted
	tokens int64
	panics bool
	asks   string // the id of a decision
	// answered is when the decision comes; nil waits for none.
	answered chan struct{}
	calls    *event.Calls
	busy     bool // there is no place for the turn
}

// engine answers turns as a function of their requests.
type engine struct {
	turn.Turns
	answer func(r turn.Request) reply

	mu       sync.Mutex
	requests []turn.Request
	created  []turn.CreateRequest
	streams  map[string]*stream
	working  atomic.Int32
	most     atomic.Int32
}

func (e *engine) Create(_ context.Context, r turn.CreateRequest) (session.Record, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.created = append(e.created, r)
	return session.Record{SessionID: fmt.Sprintf("sess_%d", len(e.created))}, nil
}

func (e *engine) Manifest(context.Context, string, string) (session.Manifest, error) {
	return session.Manifest{}, errors.New("there is none")
}

func (e *engine) Start(_ context.Context, r turn.Request) (turn.Stream, error) {
	a := e.answer(r)
	e.mu.Lock()
	defer e.mu.Unlock()
	if a.busy {
		return nil, fault.New(fault.Overloaded, "too many turns")
	}
	e.requests = append(e.requests, r)
	if n := e.working.Add(1); n > e.most.Load() {
		e.most.Store(n)
	}
	s := &stream{e: e, reply: a, id: fmt.Sprintf("turn_%d", len(e.requests)), stopped: make(chan struct{})}
	if e.streams == nil {
		e.streams = map[string]*stream{}
	}
	e.streams[s.id] = s
	return s, nil
}

func (e *engine) Interrupt(_ context.Context, _, id string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.streams[id]; s != nil {
		s.once.Do(func() { close(s.stopped) })
	}
	return nil
}

// asked are the messages of all turns.
func (e *engine) asked() (all []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.requests {
		all = append(all, r.Message)
	}
	return all
}

func (e *engine) last() turn.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.requests[len(e.requests)-1]
}

type stream struct {
	e       *engine
	reply   reply
	id      string
	stopped chan struct{}
	once    sync.Once
	asked   bool
	over    bool
}

func (s *stream) Turn() string { return s.id }
func (s *stream) Close() error { return nil }

func (s *stream) Next(ctx context.Context) ([]event.Event, error) {
	if s.over {
		return nil, io.EOF
	}
	if s.reply.asks != "" && !s.asked {
		s.asked = true
		data, err := json.Marshal(event.Permission{DecisionID: s.reply.asks, Name: "write"})
		return []event.Event{{Type: event.PermissionAsked, Data: data}}, err
	}
	s.over = true
	defer s.e.working.Add(-1)
	if s.reply.panics {
		panic("a fault of the engine")
	}
	var all []event.Event
	add := func(t event.Type, data any) {
		text, err := json.Marshal(data)
		if err != nil {
			panic(err)
		}
		all = append(all, event.Event{Type: t, Data: text})
	}
	if s.reply.hangs || s.reply.answered != nil {
		select {
		case <-s.reply.answered:
			add(event.PermissionGiven, event.Verdict{DecisionID: s.reply.asks, Verdict: "allow"})
		case <-s.stopped:
			yes := true
			add(event.ProcessExit, event.Exit{ExitCode: 130, Interrupted: &yes})
			return all, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if s.reply.tokens > 0 {
		cost := 0.5
		add(event.Usage, event.UsageReport{Totals: event.Tokens{InputTokens: s.reply.tokens, OutputTokens: s.reply.tokens, CostUSD: &cost}})
	}
	if s.reply.fails != "" {
		exit := event.Exit{ExitCode: 1, Error: s.reply.fails, ErrorType: "SDK_FAILURE", Status: 500}
		if s.reply.later != "" {
			exit.ErrorDetails = map[string]any{model.RetryAt: s.reply.later}
		}
		add(event.ProcessExit, exit)
		return all, nil
	}
	reason := s.reply.reason
	if reason == "" {
		reason = "end_turn"
	}
	add(event.ChatComplete, event.Text{Text: s.reply.text})
	add(event.SessionComplete, event.Complete{StopReason: reason})
	add(event.ProcessExit, event.Exit{Calls: s.reply.calls})
	return all, nil
}

// files is a gatherer that takes what it is given by its name.
type files struct{}

func (files) Gather(_ context.Context, folder *declared.Folder, list []*declared.Attachment, _ attachment.BlobStore) (r gather.Result, err error) {
	for _, a := range list {
		place := a.Source.Path + a.Source.URL
		r.Reports = append(r.Reports, gather.Report{Name: place, Type: a.Type, From: a.From, Origin: place})
		r.Items = append(r.Items, attachment.Item{Name: place})
	}
	return r, nil
}

type blobs struct{ attachment.BlobStore }

func (blobs) Sync(context.Context) error { return nil }

// patience bounds every wait; only a failure reaches it.
const patience = 5 * time.Minute

// bench is a project with a runner.
type bench struct {
	t       *testing.T
	project string
	state   string
	e       *engine
	r       *run.Runner
	limits  run.Limits
	gather  run.Gatherer
	ids     atomic.Int32
	takes   func(project string, c turn.Choice) (turn.Capacity, error)
	// answered is the audit log.
	answered func(context.Context, run.Waiting) error
	ready    func(provider string) error
	redact   *redact.Redactor
}

// newBench makes a project with a workflow file; answer is how its agents answer.
func newBench(t *testing.T, workflow string, answer func(r turn.Request) reply) *bench {
	t.Helper()
	b := &bench{t: t, project: t.TempDir(), state: filepath.Join(t.TempDir(), "state [1]"), e: &engine{answer: answer}, gather: files{}}
	b.limits = run.Limits{FileBytes: 1 << 20, Steps: 20, Parallel: 8, Items: 50, Tasks: 200, Attachments: 20, Matches: 20, RetryDelay: time.Millisecond}
	b.file("flow.yaml", workflow)
	b.r = b.runner()
	return b
}

func (b *bench) runner() *run.Runner {
	b.t.Helper()
	r := run.New(run.Options{
		Engine: b.e, Blobs: func(string) (run.Blobs, error) { return blobs{}, nil }, Gather: b.gather, Takes: b.takes, Answered: b.answered, Ready: b.ready, Redact: b.redact,
		StateDir: b.state, Tools: []string{"read", "write", "bash"}, Provider: "scripted", Providers: []string{"scripted", "other"}, Limits: b.limits,
		Snapshot: snapshot.Options{LockDir: b.state, MaxFiles: 1000, MaxBytes: 1 << 20, Clock: time.Now},
		Logger:   slog.New(slog.DiscardHandler), Clock: time.Now,
		NewID: func() string { return fmt.Sprintf("%s-%d", filepath.Base(b.project), b.ids.Add(1)) },
	})
	b.t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := r.Close(ctx); err != nil && !errors.Is(err, context.Canceled) {
			b.t.Error(err)
		}
	})
	return r
}

func (b *bench) file(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.project, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) request(input map[string]any) run.Request {
	return run.Request{Project: b.project, File: filepath.Join(b.project, "flow.yaml"), Input: input}
}

// start begins a run and returns its id.
func (b *bench) start(input map[string]any) string {
	b.t.Helper()
	s, err := b.r.Start(b.t.Context(), b.request(input))
	if err != nil {
		b.t.Fatal(err)
	}
	return s.ID
}

// ended waits for the run's end.
func (b *bench) ended(id string) run.Record {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	s, err := b.r.Follow(ctx, b.project, id, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	for {
		if _, err := s.Next(ctx); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			b.t.Fatal(err)
		}
	}
	record, err := b.r.Show(ctx, b.project, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return record
}

// run is start and ended.
func (b *bench) run(input map[string]any) run.Record {
	b.t.Helper()
	return b.ended(b.start(input))
}

// events are those of a run that has ended.
func (b *bench) events(id string) (all []run.Event) {
	b.t.Helper()
	s, err := b.r.Follow(b.t.Context(), b.project, id, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	for {
		more, err := s.Next(b.t.Context())
		all = append(all, more...)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

// follows reads a run's events until one of a type has come.
func (b *bench) follows(id string, until run.EventType) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	s, err := b.r.Follow(ctx, b.project, id, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	for {
		events, err := s.Next(ctx)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, e := range events {
			if e.Type == until {
				return
			}
		}
	}
}

// await waits until an agent was asked something.
func (b *bench) await(words string) {
	b.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if strings.Contains(strings.Join(b.e.asked(), "\n"), words) {
			return
		}
	}
	b.t.Fatalf("nobody was asked %q", words)
}

// task is the record of a task of a run.
func task(t *testing.T, r run.Record, key string) run.Task {
	t.Helper()
	for _, k := range r.Tasks {
		if k.Key == key {
			return k
		}
	}
	t.Fatalf("there is no task %s in the record of the run, which is %s: %+v", key, r.Status, r.Error)
	return run.Task{}
}

// echo answers with the message.
func echo(r turn.Request) reply { return reply{text: r.Message} }
