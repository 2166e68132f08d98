package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"belay/internal/workspace/scan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watching is how many folders tests watch.
const watching = 10_000

func newSet(t testing.TB, o Options) *Set {
	t.Helper()
	s := NewSet(o)
	t.Cleanup(s.Close)
	return s
}

func put(t testing.TB, root, rel, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// states is what a snapshot lists, in order.
func states(s *Snapshot) string {
	var all []string
	for _, f := range s.Deliverables {
		all = append(all, f.ID+"="+f.Status)
	}
	return strings.Join(all, " ")
}

// What was written before a question is in the answer, whatever it was and however
// the index learns of it.
func TestCurrentIsCurrent(t *testing.T) {
	t.Parallel()
	names := []string{"PKG-01_a", "PKG-02_b", "1_Working", "_Archive", "DEL-01-01_x", "DEL-01-02_y", "_Decomposition", "_STATUS.md", "d.md", "node_modules"}
	for _, mode := range []Mode{Events, Polling} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			if mode == Events && runtime.GOOS != "linux" {
				t.Skip("skipped: only Linux tells of changes")
			}
			rapid.Check(t, func(rt *rapid.T) {
				root := t.TempDir()
				o := Options{Poll: time.Hour, Recheck: time.Hour}
				if mode == Events {
					o.MaxWatches = watching
				}
				set := NewSet(o)
				defer set.Close()
				anyPath := func(label string) string {
					return path.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 4).Draw(rt, label)...)
				}
				for range rapid.IntRange(1, 20).Draw(rt, "steps") {
					for range rapid.IntRange(1, 4).Draw(rt, "changes") {
						disturb(rt, root, anyPath("path"), anyPath("other"))
					}
					s, err := set.Current(t.Context(), root)
					if err != nil {
						rt.Fatal(err)
					}
					if s.Mode != mode {
						rt.Fatalf("the mode is %s", s.Mode)
					}
					want, err := scan.Scan(t.Context(), root, scan.Options{Stamps: mode == Polling})
					if err != nil {
						rt.Fatal(err)
					}
					at := time.Unix(0, 0)
					if diff := cmp.Diff(want.Listing(root, at), s.Listing(root, at)); diff != "" {
						rt.Fatalf("(-scan +index):\n%s", diff)
					}
				}
			})
		})
	}
}

// disturb changes something in a root; what cannot be done is left.
func disturb(t *rapid.T, root, rel, other string) {
	at, to := filepath.Join(root, filepath.FromSlash(rel)), filepath.Join(root, filepath.FromSlash(other))
	switch rapid.IntRange(0, 5).Draw(t, "what") {
	case 0:
		_ = os.RemoveAll(at)
	case 1:
		_ = os.MkdirAll(at, 0o755)
	case 2:
		_ = os.MkdirAll(filepath.Dir(to), 0o755)
		_ = os.Rename(at, to)
	default:
		_ = os.MkdirAll(filepath.Dir(at), 0o755)
		state := rapid.SampledFrom([]string{"OPEN", "ISSUED", "knowledge types"}).Draw(t, "state")
		_ = os.WriteFile(at, []byte("**Current State:** "+state), 0o644)
	}
}

func TestSubscribe(t *testing.T) {
	t.Parallel()
	const status = "PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md"
	for _, mode := range []Mode{Events, Polling} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			if mode == Events && runtime.GOOS != "linux" {
				t.Skip("skipped: only Linux tells of changes")
			}
			o := Options{Poll: 20 * time.Millisecond, Recheck: time.Hour}
			if mode == Events {
				o.MaxWatches = watching
			}
			root := t.TempDir()
			put(t, root, status, "**Current State:** OPEN")
			set := newSet(t, o)
			sub, now, err := set.Subscribe(t.Context(), root, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			if states(now) != "DEL-01-01=open" {
				t.Fatalf("at first %s", states(now))
			}
			next := func() Change {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				c, gap, err := sub.Next(ctx)
				if err != nil || gap {
					t.Fatalf("gap %v, %v", gap, err)
				}
				return c
			}
			put(t, root, status, "**Current State:** INITIALIZED")
			c := next()
			for len(c.Deliverables) == 0 { // polling may have seen the file half written
				c = next()
			}
			if d := c.Deliverables[0]; d.Before.Status != "open" && d.Before.Status != scan.Unknown || c.Version <= now.Version {
				t.Errorf("change %+v", c)
			}
			for s := now; states(s) != "DEL-01-01=initialized"; {
				if s, err = set.Current(t.Context(), root); err != nil {
					t.Fatal(err)
				}
			}
			put(t, root, "PKG-01_a/1_Working/DEL-01-02_new/deep/er/MEMORY.md", "x")
			for c = next(); len(c.Deliverables) == 0 || c.Deliverables[0].Before != nil; {
				c = next()
			}
			// A file that no listing shows is a change too, where the system tells.
			if mode == Events {
				put(t, root, "PKG-01_a/1_Working/DEL-01-02_new/deep/er/notes.md", "x")
				for c = next(); !strings.HasSuffix(strings.Join(c.Paths, " "), "notes.md"); {
					c = next()
				}
			} else {
				time.Sleep(10 * time.Millisecond) // the clock of the file system must move
				whole := t.TempDir()              // polling must not see the file half written
				put(t, whole, status, "**Current State:** INITIALIZED ")
				if err := os.Rename(filepath.Join(whole, status), filepath.Join(root, status)); err != nil {
					t.Fatal(err)
				}
				for c = next(); strings.Join(c.Paths, " ") != path.Dir(status); {
					c = next()
				}
			}
			if err := os.RemoveAll(filepath.Join(root, "PKG-01_a")); err != nil {
				t.Fatal(err)
			}
			gone := 0
			for gone < 2 {
				for _, d := range next().Deliverables {
					if d.After == nil {
						gone++
					}
				}
			}
			if err := os.RemoveAll(root); err != nil {
				t.Fatal(err)
			}
			if _, err := set.Current(t.Context(), root); err == nil {
				t.Error("a project that is gone has a snapshot")
			}
			for err = nil; err == nil; {
				_, _, err = sub.Next(t.Context())
			}
			if errors.Is(err, context.Canceled) {
				t.Errorf("a follower of a project that is gone is told %v", err)
			}
		})
	}
}

// A follower that was away goes on where it was, or learns that it cannot.
func TestSubscribeAfter(t *testing.T) {
	t.Parallel()
	j := newJournal()
	j.begin(100)
	for v := uint64(101); v <= 100+maxChanges+5; v++ {
		j.add(Change{Version: v})
	}
	for _, c := range []struct {
		after, next uint64
		gap         bool
	}{
		{99, 100 + maxChanges + 5, true}, {104, 100 + maxChanges + 5, true}, {105, 106, false}, {200, 201, false},
		{100 + maxChanges + 6, 100 + maxChanges + 5, true},
	} {
		got, gap, ok, _, err := j.after(c.after)
		if got.Version != c.next || gap != c.gap || !ok || err != nil {
			t.Errorf("after %d: %d, gap %v, %v, %v; want %+v", c.after, got.Version, gap, ok, err, c)
		}
	}
	if _, _, ok, wake, _ := j.after(100 + maxChanges + 5); ok || wake == nil {
		t.Error("there is something after the last")
	}
}

// Where the system does not watch as many folders as there are, that is said once,
// and the answers stay right.
func TestWatchLimit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("skipped: only Linux tells of changes")
	}
	var log bytes.Buffer
	set := newSet(t, Options{MaxWatches: 8, Poll: time.Hour, Recheck: time.Hour, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for n := range 3 {
		root := t.TempDir()
		put(t, root, "PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md", "**Current State:** OPEN")
		s, err := set.Current(t.Context(), root)
		if err != nil || s.Mode != Events {
			t.Fatalf("%v, %v", s, err)
		}
		for k := range 9 {
			put(t, root, fmt.Sprintf("PKG-01_a/1_Working/DEL-01-1%d_x/_STATUS.md", k), "**Current State:** OPEN")
		}
		if s, err = set.Current(t.Context(), root); err != nil || s.Mode != Polling || len(s.Deliverables) != 10 {
			t.Fatalf("root %d: %s, %v, %v", n, states(s), s.Mode, err)
		}
		put(t, root, "PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md", "**Current State:** ISSUED")
		if s, err = set.Current(t.Context(), root); err != nil || s.Deliverables[0].Status != "issued" {
			t.Fatalf("root %d: %s, %v", n, states(s), err)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "more than 8 folders") {
		t.Errorf("said %d times: %s", n, log.String())
	}
}

// A notification that was lost costs a look at the whole, not a wrong answer.
func TestLostNotifications(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md", "**Current State:** OPEN")
	set := newSet(t, Options{MaxWatches: watching})
	x := newRoot(set, root)
	deaf := &deaf{wake: make(chan struct{}, 1)}
	var err error
	if x.result, err = scan.Scan(t.Context(), root, scan.Options{Visited: true}); err != nil {
		t.Fatal(err)
	}
	x.watch, x.now = deaf, &Snapshot{Layout: &Layout{Result: x.result}}
	put(t, root, "PKG-01_a/1_Working/DEL-01-01_x/_STATUS.md", "**Current State:** ISSUED")
	look := func() string {
		x.collect()
		if err := x.refresh(); err != nil {
			t.Fatal(err)
		}
		return states(x.now)
	}
	if got := look(); got != "DEL-01-01=open" {
		t.Fatalf("%s without a notification", got)
	}
	deaf.lost = true
	if got := look(); got != "DEL-01-01=issued" {
		t.Fatalf("%s after a loss", got)
	}
	if x.now.Version != 1 || len(deaf.added) == 0 {
		t.Errorf("version %d, watching %v", x.now.Version, deaf.added)
	}
	x.end()
}

// deaf is a watcher that hears nothing.
type deaf struct {
	lost  bool
	added []string
	wake  chan struct{}
}

func (d *deaf) add(rel string) (bool, error) { d.added = append(d.added, rel); return false, nil }
func (d *deaf) remove(string)                {}
func (d *deaf) ready() <-chan struct{}       { return d.wake }
func (d *deaf) take() ([]event, bool)        { lost := d.lost; d.lost = false; return nil, lost }
func (d *deaf) close() error                 { return nil }

func TestIdleAndCrowded(t *testing.T) {
	t.Parallel()
	set := newSet(t, Options{Idle: 20 * time.Millisecond, MaxRoots: 2, MaxWatches: watching})
	kept := t.TempDir()
	sub, _, err := set.Subscribe(t.Context(), kept, 0)
	if err != nil {
		t.Fatal(err)
	}
	known := func(root string) bool {
		set.mu.Lock()
		defer set.mu.Unlock()
		return set.roots[root] != nil
	}
	for range 5 {
		root := t.TempDir()
		if _, err := set.Current(t.Context(), root); err != nil {
			t.Fatal(err)
		}
		set.mu.Lock()
		if len(set.roots) > 2 {
			t.Errorf("%d indexes", len(set.roots))
		}
		set.mu.Unlock()
	}
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
		set.mu.Lock()
		n := len(set.roots)
		set.mu.Unlock()
		if n == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d indexes are still there", n)
		}
	}
	if !known(kept) {
		t.Error("an index that somebody follows was dropped")
	}
	sub.Close()
	sub.Close()
	set.Close()
	if _, err := set.Current(t.Context(), kept); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed set answers %v", err)
	}
}

// Many clients share an index, ask at once, and are never told of anything older
// than their own writes.
func TestManyClients(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	set := newSet(t, Options{MaxWatches: watching, Recheck: time.Hour})
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			rel := fmt.Sprintf("PKG-01_a/1_Working/DEL-01-%02d_x/_STATUS.md", n)
			for k := range 30 {
				want := []string{"open", "checking", "issued"}[k%3]
				put(t, root, rel, "**Current State:** "+strings.ToUpper(want))
				s, err := set.Current(t.Context(), root)
				if err != nil {
					t.Error(err)
					return
				}
				if !strings.Contains(states(s), fmt.Sprintf("DEL-01-%02d=%s", n, want)) {
					t.Errorf("%d: wrote %s, told %s", n, want, states(s))
				}
			}
		})
	}
	all.Wait()
}

func TestOnce(t *testing.T) {
	t.Parallel()
	var m memo
	type key struct{}
	made := 0
	for range 3 {
		v, err := m.Once(key{}, func() (any, error) { made++; return made, nil })
		if v != 1 || err != nil {
			t.Errorf("%v, %v", v, err)
		}
	}
}
