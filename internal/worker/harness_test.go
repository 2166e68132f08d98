package worker

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"belay/internal/attachment"
	"belay/internal/bus"
	"belay/internal/bus/contract"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/model"
	"belay/internal/model/scripted"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
	"belay/internal/turn"
	"belay/internal/workspace"
)

// patience bounds every wait of a test; it is reached only by a failure.
const patience = 5 * time.Minute

// rig is a server's parts below the surfaces, on the folders of dir: an engine with
// the scripted provider, the bus with its embedded server, and a worker.
type rig struct {
	t       testing.TB
	dir     string
	project string
	engine  turn.Engine
	local   *turn.Local
	bus     *bus.Bus
	client  *bus.Client
	worker  *Worker
	calls   atomic.Int64 // turns that were begun

	closers []func(context.Context) error
}

// openRig opens the parts; a second rig on the same dir is a second process, once
// the first is closed.
func openRig(t testing.TB, dir, script string, change ...func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, dir: dir, project: filepath.Join(dir, "project")}
	must(t, r.open(script, slog.New(slog.NewTextHandler(t.Output(), nil)), change...))
	t.Cleanup(func() { must(t, r.close()) })
	return r
}

func (r *rig) open(script string, log *slog.Logger, change ...func(*Options)) error {
	state := filepath.Join(r.dir, "state")
	for _, dir := range []string{state, r.project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := r.openEngine(state, script); err != nil {
		return err
	}
	b, err := bus.Open(context.Background(), bus.Options{Dir: filepath.Join(state, "bus"), Logger: log, AckTimeout: 20 * time.Second})
	if err != nil {
		return err
	}
	r.bus, r.client = b, bus.NewClient(b, "discord")
	r.closers = append(r.closers, b.Close)
	o := Options{
		Bus: b, Engine: r.engine, Logger: log, Clock: time.Now,
		Backoff: func(int) time.Duration { return time.Millisecond },
	}
	for _, f := range change {
		f(&o)
	}
	if r.worker, err = New(context.Background(), o); err != nil {
		return err
	}
	r.closers = append(r.closers, r.worker.Close)
	return nil
}

func (r *rig) openEngine(state, script string) error {
	script1, err := scripted.Parse("script", []byte(script))
	if err != nil {
		return err
	}
	committer := durable.NewCommitter(0)
	store, err := session.NewStore(session.Options{StateDir: state, Clock: time.Now, NewID: uuid.NewString, Committer: committer})
	if err != nil {
		return err
	}
	root, err := persona.Open("")
	if err != nil {
		return err
	}
	planner, err := attachment.NewPlanner(attachment.PlannerOptions{CacheDir: filepath.Join(r.dir, "cache"), WorkTime: time.Hour})
	if err != nil {
		return err
	}
	audit, err := permit.OpenAudit(filepath.Join(state, "audit.jsonl"), time.Now)
	if err != nil {
		return err
	}
	requests, err := permit.OpenRequests(permit.RequestsOptions{Dir: filepath.Join(state, "permit"), Audit: audit})
	if err != nil {
		return err
	}
	tools, err := tool.NewSet(files.New(files.Options{})...)
	if err != nil {
		return err
	}
	r.local = turn.NewLocal(turn.Options{
		Store: store, Root: root, Provider: scripted.New(scripted.Options{Script: script1}), Planner: planner, Prices: model.ListPrices(),
		Logger: slog.New(slog.DiscardHandler), Clock: time.Now, NewID: uuid.NewString, ScratchDir: filepath.Join(r.dir, "cache"),
		Journal: journal.New(filepath.Join(state, "journal"), time.Now), Tools: tools, Requests: requests, Audit: audit,
		Scope: func(project string, p persona.Persona) tool.Scope {
			return workspace.NewScope(workspace.ScopeOptions{WriteScope: "project-level", Persona: p.ID, Project: project})
		},
		Rules: turn.Rules{
			DefaultModel: scripted.Name, UploadBytes: 64 << 20, Tools: tool.Limits{
				OutputBytes: 32 << 10, ReadBytes: 1 << 20, WriteBytes: 1 << 20, Matches: 100, SendFileBytes: 8 << 20, SendCallBytes: 16 << 20,
			},
			Limits: turn.Limits{
				Stall: patience, Wall: patience, MaxTurns: 10, MessageBytes: 4 << 20, NotesBytes: 32 << 10, AnswerBytes: 8 << 20,
				// Keys are forgotten at once: what a request began is found in the transcript.
				QueueLength: 8, QueueWait: patience, IdempotencyTTL: time.Nanosecond, InFlight: 1000,
				DeltaInterval: 25 * time.Millisecond, DeltaBytes: 4 << 10,
			},
		},
	})
	r.local.Recovery.Stay()
	r.engine = counting{r.local, &r.calls}
	r.closers = append(r.closers, func(context.Context) error {
		return errors.Join(planner.Close(), requests.Close(), store.Close(), committer.Close())
	}, r.closeEngine)
	return nil
}

func (r *rig) closeEngine(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := r.local.Close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// close ends the parts in the order of a server.
func (r *rig) close() error {
	if r.worker != nil {
		r.worker.Drain()
	}
	var errs error
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if len(r.closers) > 1 {
		errs = r.closers[1](ctx) // the engine, while the worker still publishes
	}
	for i := len(r.closers) - 1; i >= 0; i-- {
		if i != 1 {
			errs = errors.Join(errs, r.closers[i](ctx))
		}
	}
	r.closers = nil
	return errs
}

// counting counts the turns that are begun.
type counting struct {
	turn.Engine

	begun *atomic.Int64
}

func (c counting) Start(ctx context.Context, r turn.Request) (turn.Stream, error) {
	s, err := c.Engine.Start(ctx, r)
	if err == nil {
		c.begun.Add(1)
	}
	return s, err
}

func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *rig) session() string {
	r.t.Helper()
	s, err := r.client.CreateSession(r.ctx(), "", &contract.SessionCreate{ProjectRoot: r.project})
	must(r.t, err)
	return s.SessionID
}

// ask puts a request on the bus.
func (r *rig) ask(session, request string, q contract.Queue, text string) {
	r.t.Helper()
	must(r.t, r.client.Request(r.ctx(), session, request, &contract.RequestMessage{Queue: q, Text: text}))
}

// output reads the output of a request to its end, and checks its positions.
func (r *rig) output(session, request string) []contract.Payload {
	r.t.Helper()
	var all []contract.Payload
	for m, err := range r.client.Output(r.ctx(), session, request, 0) {
		must(r.t, err)
		all = append(all, m.Payload)
		if m.Seq != int64(len(all)) || m.Client != "discord" || m.Session != session || m.Envelope.Request != request {
			r.t.Errorf("message %d of the output has the envelope %+v", len(all), m.Envelope)
		}
	}
	if len(all) == 0 || contract.TypeOf(all[len(all)-1]) != contract.TypeResponseText {
		r.t.Fatalf("the output of %s has no end: %d messages", request, len(all))
	}
	return all
}

// end is the last message of a request's output.
func (r *rig) end(session, request string) *contract.ResponseText {
	r.t.Helper()
	all := r.output(session, request)
	return all[len(all)-1].(*contract.ResponseText)
}

// signals reads the signals of the types until done, from the first one on.
func (r *rig) signals(name string, done func(contract.Message) bool, types ...contract.Type) []contract.Message {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx(), patience)
	defer cancel()
	var all []contract.Message
	err := r.client.Follow(ctx, name, types, func(_ context.Context, m contract.Message) error {
		all = append(all, m)
		if done(m) {
			cancel()
		}
		return nil
	})
	must(r.t, err)
	if len(all) == 0 || !done(all[len(all)-1]) {
		r.t.Fatalf("the signals ended after %d", len(all))
	}
	return all
}

// final reports whether m is the final state of a request.
func final(request string) func(contract.Message) bool {
	return func(m contract.Message) bool {
		l, ok := m.Payload.(*contract.LifecycleChanged)
		return ok && m.Envelope.Request == request && l.State.Final()
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func isFault(err error, t fault.Type) bool { return fault.Is(err, t) }

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func decide(session, id string, v permit.Verdict, by string) turn.DecisionRequest {
	return turn.DecisionRequest{SessionID: session, DecisionID: id, Verdict: v, By: by}
}
