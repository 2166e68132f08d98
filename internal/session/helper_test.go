package session

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"belay/internal/event"
)

func TestMain(m *testing.M) {
	if run, ok := children[os.Getenv(childEnv)]; ok {
		run()
		return
	}
	// Each step of these properties writes files: fewer of them do by default.
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// patience bounds every wait of the tests: long, because a test that waits for it
// has failed.
const patience = 5 * time.Minute

// world is a project, a state folder and a store on them.
type world struct {
	*Store
	t       testing.TB
	project string
	o       Options
}

func newWorld(t testing.TB, adjust ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, project: t.TempDir(), o: Options{StateDir: t.TempDir()}}
	for _, f := range adjust {
		f(&w.o)
	}
	w.Store = w.store()
	return w
}

// store opens another store on the same folders: for the files, and for readers
// of them, that is another process.
func (w *world) store() *Store {
	w.t.Helper()
	s, err := NewStore(w.o)
	must(w.t, err)
	w.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			w.t.Errorf("close store: %v", err)
		}
	})
	return s
}

// export writes a whole archive of a session.
func export(t testing.TB, s *Store, id string, w io.Writer) {
	t.Helper()
	leftOut, err := s.Archive.Export(t.Context(), id, w)
	must(t, err)
	if len(leftOut) > 0 {
		t.Errorf("left out: %q", leftOut)
	}
}

func (w *world) session() Record {
	w.t.Helper()
	rec, err := w.Create(context.Background(), w.project, "WORKING_ITEMS", "direct")
	must(w.t, err)
	return rec
}

// recorded is a session with a session.json, as its first turn writes it.
func (w *world) recorded() Record {
	w.t.Helper()
	rec := w.session()
	w.record(rec.SessionID)
	return rec
}

// record writes the session.json of a session.
func (w *world) record(id string) {
	w.t.Helper()
	l := acquire(w.t, w.Store, id)
	l.state.mu.Lock()
	must(w.t, l.state.writeRecord(l.state.rec))
	l.state.mu.Unlock()
	must(w.t, l.Release())
}

func (w *world) folder(id string) string {
	return filepath.Join(w.project, ".belay", "sessions", id)
}

// problems are those of a session's files.
func (w *world) problems(id string) []Problem {
	root, err := os.OpenRoot(w.folder(id))
	must(w.t, err)
	defer func() { _ = root.Close() }()
	problems, err := examineFolder(root, func(Entry) {}, func(error) {})
	must(w.t, err)
	return problems
}

func acquire(t testing.TB, s *Store, id string) *Lease {
	t.Helper()
	l, err := s.Acquire(context.Background(), id)
	must(t, err)
	return l
}

// turn runs a whole turn with n deltas.
func turn(t testing.TB, s *Store, id, name string, n int) {
	t.Helper()
	l := acquire(t, s, id)
	must(t, l.Begin(name))
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: name, Message: "hello"}))
	emit(t, l, name, event.SessionInit, event.Init{TurnID: name})
	for i := range n {
		emit(t, l, name, event.ChatDelta, event.Text{Text: fmt.Sprint("word ", i)})
	}
	must(t, l.Append(Entry{Kind: EntryEnd, Turn: name}))
	must(t, l.Commit(context.Background()))
	emit(t, l, name, event.ProcessExit, event.Exit{})
	must(t, l.Release())
}

func emit(t testing.TB, l *Lease, turn string, kind event.Type, data any) event.Event {
	t.Helper()
	evs, err := l.Emit(turn, event.Draft{Type: kind, Data: data})
	must(t, err)
	return evs[0]
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open returns a reader that is closed with the test.
func open(t testing.TB, s *Store, id string, after int64) *Reader {
	t.Helper()
	r, err := s.Reader(context.Background(), id, after)
	must(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// next returns the reader's next batch.
func next(t testing.TB, r *Reader) []event.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	evs, err := r.Next(ctx)
	must(t, err)
	return evs
}

// upTo reads until the event with a sequence, and checks that the sequences are
// dense.
func upTo(t testing.TB, r *Reader, last int64) []event.Event {
	t.Helper()
	var all []event.Event
	for want := r.After() + 1; want <= last; {
		for _, e := range next(t, r) {
			if e.Seq != want {
				t.Fatalf("got event %d (%s %s), want %d", e.Seq, e.Type, e.Data, want)
			}
			want++
			all = append(all, e)
		}
	}
	return all
}

// fakeClock moves a second with every look.
func fakeClock() func() time.Time {
	var n atomic.Int64
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time { return start.Add(time.Duration(n.Add(1)) * time.Second) }
}
