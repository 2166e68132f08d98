package turn

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
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/attachment"
	"belay/internal/durable"
	"belay/internal/event"
	"belay/internal/journal"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
)

// patience bounds every wait of a test; it is reached only by a failure.
const patience = 5 * time.Minute

// Bounds that the agents of a turn keep.
const (
	mostParallelCalls = 8
	mostRefusals      = 3
	mostRepeats       = 6
	mostHostQuestions = 20
)

// rig is an engine on temporary folders.
type rig struct {
	t        testing.TB
	engine   *Local
	options  Options
	store    *session.Store
	provider *fake
	project  string
	state    string
	now      atomic.Int64
	// stored adjusts the store's options.
	stored func(*session.Options)
}

func newRig(t testing.TB, change ...func(*Options)) *rig {
	t.Helper()
	r := emptyRig(t)
	r.open(change...)
	return r
}

// emptyRig is a rig that is not open yet.
func emptyRig(t testing.TB) *rig {
	r := &rig{t: t, provider: &fake{play: says("hello")}, project: t.TempDir(), state: t.TempDir(), stored: func(*session.Options) {}}
	r.now.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return r
}

func (r *rig) clock() time.Time { return time.Unix(0, r.now.Load()).UTC() }

// open builds the engine; a second call is a second process on the same folders.
func (r *rig) open(change ...func(*Options)) {
	r.t.Helper()
	a, err := assemble(r.state, r.t.TempDir(), r.provider, r.clock, r.stored, change...)
	must(r.t, err)
	r.engine, r.options, r.store = a.engine, a.options, a.store
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if err := a.close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			r.t.Errorf("close: %v", err)
		}
	})
}

// assembly is an engine and the rooms that it stands on.
type assembly struct {
	engine    *Local
	options   Options
	store     *session.Store
	planner   *attachment.Planner
	committer *durable.Committer
}

// ids makes ids that no other assembly makes, in this process or another.
var ids atomic.Int64

func newID() string { return fmt.Sprintf("%d-%d", os.Getpid(), ids.Add(1)) }

func assemble(state, scratch string, p model.Provider, clock func() time.Time, stored func(*session.Options), change ...func(*Options)) (*assembly, error) {
	a := &assembly{committer: durable.NewCommitter(0)}
	so := session.Options{StateDir: state, Clock: clock, Committer: a.committer, NewID: newID}
	stored(&so)
	var err error
	if a.store, err = session.NewStore(so); err != nil {
		return nil, err
	}
	root, err := persona.Open("")
	if err != nil {
		return nil, err
	}
	if a.planner, err = attachment.NewPlanner(attachment.PlannerOptions{CacheDir: filepath.Join(scratch, "renditions"), WorkTime: time.Hour}); err != nil {
		return nil, err
	}
	o := Options{
		Store: a.store, Root: root, Provider: p, Planner: a.planner, Prices: model.ListPrices(),
		Logger: slog.New(slog.DiscardHandler), Clock: clock, NewID: newID,
		ScratchDir: scratch, Journal: journal.New(filepath.Join(state, "journal"), clock),
		Rules: Rules{DefaultModel: "claude-sonnet-4-20250514", UploadBytes: 64 << 20, Limits: Limits{
			Stall: patience, Wall: patience, MaxTurns: 5, MessageBytes: 4 << 20, NotesBytes: 32 << 10, AnswerBytes: 8 << 20,
			QueueLength: 2, QueueWait: patience, IdempotencyTTL: 24 * time.Hour, InFlight: 1000,
			DeltaInterval: 25 * time.Millisecond, DeltaBytes: 4 << 10,
		}},
	}
	for _, f := range change {
		f(&o)
	}
	a.engine, a.options = NewLocal(o), o.withDefaults()
	return a, nil
}

// close returns ctx's error when turns had to be interrupted.
func (a *assembly) close(ctx context.Context) error {
	return errors.Join(a.engine.Close(ctx), a.planner.Close(), a.store.Close(), a.committer.Close())
}

func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *rig) session() string {
	r.t.Helper()
	rec, err := r.engine.Create(r.ctx(), CreateRequest{ProjectRoot: r.project})
	must(r.t, err)
	return rec.SessionID
}

// say runs a turn to its end and returns its events.
func (r *rig) say(id, message string, change ...func(*Request)) []event.Event {
	r.t.Helper()
	req := Request{SessionID: id, Message: message}
	for _, f := range change {
		f(&req)
	}
	s, err := r.engine.Start(r.ctx(), req)
	must(r.t, err)
	return r.drain(s)
}

func (r *rig) drain(s Stream) []event.Event {
	r.t.Helper()
	defer func() { must(r.t, s.Close()) }()
	var all []event.Event
	for {
		events, err := s.Next(r.ctx())
		if errors.Is(err, io.EOF) {
			return all
		}
		must(r.t, err)
		all = append(all, events...)
	}
}

// file writes a file of the project and returns its absolute path.
func (r *rig) file(name, content string) string {
	r.t.Helper()
	path := filepath.Join(r.project, name)
	must(r.t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// started begins a turn whose provider blocks, and returns once the model was
// called.
func (r *rig) started(id string, change ...func(*Request)) Stream {
	r.t.Helper()
	called := make(chan struct{})
	r.provider.does(blocks(called))
	req := Request{SessionID: id, Message: "go on"}
	for _, f := range change {
		f(&req)
	}
	s, err := r.engine.Start(r.ctx(), req)
	must(r.t, err)
	wait(r.t, called)
	return s
}

// wait waits for a channel to close.
func wait(t testing.TB, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(patience):
		t.Fatal("waited in vain")
	}
}

// eventually waits until ok holds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// names are the types of events, one after another, deltas as one.
func names(events []event.Event) string {
	var out []string
	for _, e := range events {
		if n := len(out); n > 0 && out[n-1] == string(e.Type) && e.Type == event.ChatDelta {
			continue
		}
		out = append(out, string(e.Type))
	}
	return strings.Join(out, " ")
}

// decode reads an event's data.
func decode(e event.Event, v any) error { return json.Unmarshal(e.Data, v) }

func payload[T any](t testing.TB, events []event.Event, kind event.Type) T {
	t.Helper()
	var v T
	for _, e := range events {
		if e.Type == kind {
			must(t, json.Unmarshal(e.Data, &v))
			return v
		}
	}
	t.Fatalf("no %s in %s", kind, names(events))
	return v
}

func exitOf(t *testing.T, events []event.Event) event.Exit {
	t.Helper()
	if n := len(events); n == 0 || events[n-1].Type != event.ProcessExit {
		t.Fatalf("the last event is not process:exit: %s", names(events))
	}
	return payload[event.Exit](t, events, event.ProcessExit)
}

func ptr[T any](v T) *T { return &v }

// partText is the text or the name of a part.
func partText(p attachment.Part) string {
	switch p := p.(type) {
	case attachment.TextPart:
		return p.Text
	case attachment.ImagePart:
		return p.Name
	case attachment.DocumentPart:
		return p.Name
	case attachment.TextDocumentPart:
		return p.Name
	}
	return ""
}
