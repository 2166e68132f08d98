package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"belay/internal/api/apitest"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/pipeline"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/workspace/scan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const root = "/project"

// world is a project of many deliverables, with an engine in memory whose personas are
// the embedded ones.
type world struct {
	*apitest.Engine
	instructions *persona.Root
	listing      scan.Listing

	mu sync.Mutex
	// refuse is what starts of turns are refused with, one after the other.
	refuse []error
	// locks is the folder of the services' locks, making is called once a session is made.
	locks  string
	making func()
}

func (w *world) Create(ctx context.Context, r turn.CreateRequest) (session.Record, error) {
	rec, err := w.Engine.Create(ctx, r)
	if w.making != nil {
		w.making()
	}
	return rec, err
}

func newWorld(t *testing.T, deliverables int) *world {
	t.Helper()
	r, err := persona.Open("")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Engine: &apitest.Engine{}, instructions: r}
	for i := range deliverables {
		d := scan.ListedDeliverable{ID: fmt.Sprintf("DEL-01-%02d", i+1), Name: "Deck", Pkg: "PKG-01_Bridge", Status: "open"}
		d.Path = root + "/" + d.Pkg + "/1_Working/" + d.ID + "_Deck"
		w.listing.Deliverables = append(w.listing.Deliverables, d)
	}
	w.listing.KnowledgeTypes = []scan.ListedType{{ID: "datasheet", Label: "Datasheet", MatchingDeliverableKeys: []string{key(1)}}}
	return w
}

func key(n int) string { return fmt.Sprintf("PKG-01_Bridge::DEL-01-%02d", n) }

func keys(n int) (all []string) {
	for i := range n {
		all = append(all, key(i+1))
	}
	return all
}

func (w *world) Personas(context.Context) ([]persona.Summary, error) { return w.instructions.List() }

func (w *world) Persona(_ context.Context, name string) (persona.Persona, error) {
	return w.instructions.Persona(name)
}

func (w *world) Start(ctx context.Context, r turn.Request) (turn.Stream, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.refuse) > 0 {
		err := w.refuse[0]
		w.refuse = w.refuse[1:]
		return nil, err
	}
	return w.Engine.Start(ctx, r)
}

// service is one process that starts work in this world.
func (w *world) service(t *testing.T) *pipeline.Service {
	t.Helper()
	n := 0
	s := pipeline.New(pipeline.Options{
		Engine: w, Retry: time.Millisecond, LockDir: w.locks,
		NewID:   func() string { n++; return fmt.Sprint(n) },
		Listing: func(context.Context, string) (scan.Listing, error) { return w.listing, nil },
		Quote: func(_, asked string) (pipeline.Quote, error) {
			return pipeline.Quote{Model: "m", Price: &model.Price{Input: 1}}, nil
		},
		Govern: func(_ string, p persona.Persona, metadata json.RawMessage) (persona.Decision, error) {
			return persona.Govern(w.instructions, p, metadata, "true"), nil
		},
	})
	t.Cleanup(s.Close)
	return s
}

// until waits for something that happens by itself.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: " + what)
		}
	}
}

func (w *world) begun() int { return len(w.Requests()) }

func live(t *testing.T, s *pipeline.Service) bool {
	t.Helper()
	all, err := s.Batches(t.Context(), root, 10)
	if err != nil || len(all) != 1 {
		t.Fatalf("batches %+v, %v", all, err)
	}
	return all[0].Live
}

// No more turns than asked for run at the same time, and each begins once.
func TestBatchIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5)
	s := w.service(t)
	started, err := s.Start(t.Context(), pipeline.Request{ProjectRoot: root, Category: "TASK", Type: "TASK", Targets: keys(5), AtOnce: 2, Note: apitest.Hold})
	if err != nil || len(started.Sessions) != 5 {
		t.Fatalf("%+v, %v", started, err)
	}
	until(t, "two turns begin", func() bool { return w.begun() == 2 })
	for i, one := range started.Sessions {
		until(t, "a turn to end", func() bool {
			return slices.ContainsFunc(w.Requests(), func(r turn.Request) bool { return r.SessionID == one.SessionID })
		})
		if n := w.begun(); n > i+2 {
			t.Errorf("%d turns began before %d ended", n, i+1)
		}
		w.Release(one.SessionID)
		until(t, "the next one", func() bool { return w.begun() >= min(i+3, 5) })
	}
	w.Wait()
	until(t, "the batch to end", func() bool { return !live(t, s) })
	seen := map[string]bool{}
	for _, r := range w.Requests() {
		if seen[r.SessionID] || !strings.Contains(r.Message, "DEL-01-") {
			t.Errorf("a turn began twice, or says nothing: %+v", r)
		}
		seen[r.SessionID] = true
	}
}

// What a process left is started by the next one, and nothing twice.
func TestBatchContinuesAfterARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	first := w.service(t)
	started, err := first.Start(t.Context(), pipeline.Request{ProjectRoot: root, Category: "PREP", Type: "4_DOCUMENTS", Targets: keys(4), AtOnce: 1, Note: "note " + apitest.Hold,
		Opts: turn.Opts{Mode: "plan", MaxTurns: new(7)}})
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	w.Release(started.Sessions[0].SessionID)
	w.Wait()
	if n := w.begun(); n != 1 {
		t.Fatalf("%d turns began", n)
	}
	next := w.service(t)
	if err := next.Continue(t.Context(), root, started.Batch); err != nil {
		t.Fatal(err)
	}
	for _, one := range started.Sessions[1:] {
		until(t, "a turn", func() bool {
			return slices.ContainsFunc(w.Requests(), func(r turn.Request) bool { return r.SessionID == one.SessionID })
		})
		w.Release(one.SessionID)
	}
	w.Wait()
	until(t, "the batch to end", func() bool { return !live(t, next) })
	for i, r := range w.Requests() {
		if r.SessionID != started.Sessions[i].SessionID || *r.Opts.MaxTurns != 7 || !strings.Contains(r.Message, fmt.Sprintf("DEL-01-%02d", i+1)) || !strings.Contains(r.Message, "note ") {
			t.Errorf("turn %d: %+v", i, r)
		}
	}
	if err := next.Continue(t.Context(), root, started.Batch); err != nil || w.begun() != 4 {
		t.Errorf("%d turns, %v", w.begun(), err)
	}
}

// Two servers that get one request under its key start it once.
func TestKeyStartsOnceAnywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.locks = t.TempDir()
	first, second := w.service(t), w.service(t)
	r := pipeline.Request{ProjectRoot: root, Category: "TASK", Type: "TASK", Targets: keys(3), Key: "k"}
	done := make(chan error, 1)
	var once sync.Once
	w.making = func() {
		once.Do(func() {
			go func() {
				_, err := second.Start(t.Context(), r)
				done <- err
			}()
			select {
			case err := <-done:
				done <- err
			case <-time.After(50 * time.Millisecond): // it waits
			}
		})
	}
	_, err := first.Start(t.Context(), r)
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if all, err := w.List(t.Context(), root); err != nil || len(all) != 3 {
		t.Errorf("%d sessions, %v", len(all), err)
	}
	w.Wait()
	if left, err := os.ReadDir(w.locks); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// A batch does not begin when its first turn is refused, and leaves no session.
func TestRefusedStartLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.refuse = []error{fault.New(fault.MissingAPIKey, "no key")}
	s := w.service(t)
	_, err := s.Start(t.Context(), pipeline.Request{ProjectRoot: root, Category: "TASK", Type: "TASK", Targets: keys(3)})
	if !fault.Is(err, fault.MissingAPIKey) {
		t.Fatal(err)
	}
	if left, err := w.List(t.Context(), root); err != nil || len(left) > 0 || w.begun() > 0 {
		t.Errorf("left %+v, %d turns, %v", left, w.begun(), err)
	}
}

// A full engine is asked again. Another refusal ends the batch, which says why.
func TestBatchMeetsAFullEngine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	s := w.service(t)
	full := fault.New(fault.Overloaded, "no place")
	first, err := s.Start(t.Context(), pipeline.Request{ProjectRoot: root, Category: "TASK", Type: "TASK", Targets: keys(3), AtOnce: 1, Note: apitest.Hold})
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.refuse = []error{full, full, errors.New("disk on fire")}
	w.mu.Unlock()
	w.Release(first.Sessions[0].SessionID)
	until(t, "the batch to end", func() bool { return !live(t, s) })
	all, err := s.Batches(t.Context(), root, 10)
	if err != nil || all[0].Error == nil || w.begun() != 1 {
		t.Fatalf("%+v, %d turns, %v", all, w.begun(), err)
	}
	// The next process has the batch and its sessions, and not the reason.
	next := w.service(t)
	if after, err := next.Batch(t.Context(), root, first.Batch); err != nil || after.Error != nil || after.Live || after.Of != 3 || after.Sessions != 3 {
		t.Errorf("after a restart: %+v, %v", after, err)
	}
	if err := s.Continue(t.Context(), root, first.Batch); err != nil {
		t.Fatal(err)
	}
	for _, one := range first.Sessions[1:] {
		until(t, "a turn", func() bool {
			return slices.ContainsFunc(w.Requests(), func(r turn.Request) bool { return r.SessionID == one.SessionID })
		})
		w.Release(one.SessionID)
	}
	w.Wait()
	until(t, "the batch to end", func() bool { return !live(t, s) })
	if after, err := s.Batch(t.Context(), root, first.Batch); err != nil || after.Error != nil {
		t.Errorf("after it was continued: %+v, %v", after, err)
	}
}

// A batch that was stopped starts no more turns; the running one goes on.
func TestBatchStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	s := w.service(t)
	started, err := s.Start(t.Context(), pipeline.Request{ProjectRoot: root, Category: "TASK", Type: "TASK", Targets: keys(3), AtOnce: 1, Note: apitest.Hold})
	if err != nil {
		t.Fatal(err)
	}
	s.Stop(root, started.Batch)
	until(t, "the batch to end", func() bool { return !live(t, s) })
	w.Release(started.Sessions[0].SessionID)
	w.Wait()
	if n := w.begun(); n != 1 {
		t.Errorf("%d turns began", n)
	}
}

// A project that is named by a link has the batches that were started under its own name.
func TestBatchStopsByALink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	s := w.service(t)
	project, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(project, link); err != nil {
		t.Skip(err)
	}
	started, err := s.Start(t.Context(), pipeline.Request{ProjectRoot: project, Category: "TASK", Type: "TASK", Targets: keys(3), AtOnce: 1, Note: apitest.Hold})
	if err != nil {
		t.Fatal(err)
	}
	s.Stop(link, started.Batch)
	until(t, "the batch to end", func() bool {
		b, err := s.Batch(t.Context(), project, started.Batch)
		return err != nil || !b.Live
	})
	w.Release(started.Sessions[0].SessionID)
	w.Wait()
	if n := w.begun(); n != 1 {
		t.Errorf("%d turns began", n)
	}
}

// A batch that was stopped goes on at once, and a start that is sent again starts the session
// that it makes anew, though the batch is under way.
func TestBatchUnderWayGetsMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	s := w.service(t)
	req := pipeline.Request{ProjectRoot: root, Category: "TASK", Type: "TASK", Targets: keys(3), AtOnce: 1, Note: apitest.Hold, Key: "k1"}
	started, err := s.Start(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	s.Stop(root, started.Batch)
	if err := s.Continue(t.Context(), root, started.Batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Delete(t.Context(), started.Sessions[2].SessionID); err != nil {
		t.Fatal(err)
	}
	again, err := s.Start(t.Context(), req)
	if err != nil || again.Batch != started.Batch || len(again.Sessions) != 3 {
		t.Fatalf("%+v, %v", again, err)
	}
	for _, one := range again.Sessions {
		until(t, "a turn", func() bool {
			return slices.ContainsFunc(w.Requests(), func(r turn.Request) bool { return r.SessionID == one.SessionID })
		})
		w.Release(one.SessionID)
	}
	w.Wait()
	until(t, "the batch to end", func() bool { return !live(t, s) })
	if n := w.begun(); n != 3 {
		t.Errorf("%d turns began", n)
	}
}

// One type of each category can be started without an instruction root.
//
// The rules are those of workspace 14.3 and 14.4.
func TestEmbeddedSetHasEachCategory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	s := w.service(t)
	a, err := s.Options(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	enabled := map[string][]string{}
	for _, c := range a.Categories {
		for _, k := range c.Types {
			if k.Enabled == (k.Reason != "") {
				t.Errorf("%s %s: %+v", c.ID, k.ID, k)
			}
			if k.Enabled {
				enabled[c.ID] = append(enabled[c.ID], k.ID)
			}
		}
	}
	if got := fmt.Sprint(enabled); got != "map[AUDIT:[AGENTS] DECOMP:[PROJECT] PREP:[PREPARATION 4_DOCUMENTS] TASK:[TASK]]" {
		t.Error(got)
	}
	if m := a.ScopeModes; !m[0].Enabled || m[1].Enabled || m[1].Reason == "" {
		t.Errorf("%+v", m)
	}
	w.listing.KnowledgeDecomposition.Enabled = true
	r := pipeline.Request{ProjectRoot: root, Category: "TASK", Type: "TASK", ScopeMode: "KNOWLEDGE_TYPES", KnowledgeType: "datasheet", Targets: []string{key(1)}}
	if v, err := s.Preview(t.Context(), r); err != nil || !strings.Contains(v.Sessions[0].Message, "**Knowledge type:** datasheet") {
		t.Errorf("%+v, %v", v, err)
	}
}
