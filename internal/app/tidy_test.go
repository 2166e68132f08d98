package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"belay/internal/durable"
	"belay/internal/permit"
	"belay/internal/turn"
)

// opened is an app on folders of its own.
func opened(t *testing.T, yaml string) (a *App, home string) {
	t.Helper()
	cfg := load(t, yaml)
	home = t.TempDir()
	cfg.Paths.StateDir, cfg.Paths.CacheDir = filepath.Join(home, "state"), filepath.Join(home, "cache")
	a, err := Open(cfg, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a, home
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// names are what is in a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// What processes left that died goes; what is used stays.
func TestSweep(t *testing.T) {
	t.Parallel()
	a, home := opened(t, "")
	create := func() string {
		rec, err := a.Engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: home})
		must(t, err)
		return rec.SessionID
	}
	used, idle, runs := create(), create(), create()
	long := time.Now().Add(-2 * scratchAge)
	scratch := scratchDir(a.Config)
	for _, name := range []string{used, idle, runs, "gone", "inspect-1", "fresh"} {
		dir := filepath.Join(scratch, name)
		must(t, os.MkdirAll(filepath.Join(dir, "home"), 0o700))
		if name != "fresh" {
			must(t, os.Chtimes(dir, long, long))
		}
	}
	for _, id := range []string{idle, runs} {
		// The transcript says when a session was used; session.json is made again from it.
		folder := filepath.Join(home, ".belay", "sessions", id)
		text, err := os.ReadFile(filepath.Join(folder, "transcript.jsonl"))
		must(t, err)
		updated := bytes.ReplaceAll(text, []byte(strconv.Itoa(time.Now().UTC().Year())+"-"), []byte("2001-"))
		must(t, os.WriteFile(filepath.Join(folder, "transcript.jsonl"), updated, 0o600))
		must(t, os.RemoveAll(filepath.Join(folder, "session.json")))
	}
	lease, err := a.Store.Acquire(t.Context(), runs)
	must(t, err)
	defer func() { must(t, lease.Release()) }()

	servers := filepath.Join(a.Config.Paths.StateDir, serversDir)
	must(t, os.MkdirAll(servers, 0o700))
	must(t, os.WriteFile(filepath.Join(servers, "1.lock"), nil, 0o600))
	lives, err := durable.Lock(filepath.Join(servers, "2.lock"))
	must(t, err)
	defer func() { must(t, lives.Unlock()) }()
	compared := filepath.Join(a.Config.Paths.StateDir, "compare")
	for _, name := range []string{used, "gone"} {
		must(t, os.MkdirAll(filepath.Join(compared, name), 0o700))
	}

	must(t, a.Sweep(t.Context()))
	want := []string{"fresh", used, runs}
	slices.Sort(want)
	if got := names(t, scratch); !slices.Equal(got, want) {
		t.Errorf("the scratch folder has %v, want %v", got, want)
	}
	if got := names(t, servers); !slices.Equal(got, []string{"2.lock"}) {
		t.Errorf("the folder of servers has %v", got)
	}
	if got := names(t, compared); !slices.Equal(got, []string{used}) {
		t.Errorf("what is kept of commands has %v", got)
	}
}

// A question that nobody waits for is closed in the course of time, not only when
// the next process looks.
func TestQuestionsAreClosedInTime(t *testing.T) {
	t.Parallel()
	a, _ := opened(t, "permit: {timeout: 1s}\n")
	q, err := a.requests.Post(t.Context(), permit.Request{
		SessionID: "sess_1", TurnID: "turn_1", Effect: permit.Effect{Tool: "write", Kind: permit.Write, Summary: "write a.txt"},
		Expires: time.Now().Add(50 * time.Millisecond),
	})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.regularly(ctx, 10*time.Millisecond, "", a.requests.Sweep)
	}()
	audit := AuditPath(a.Config.Paths.StateDir)
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
		if log, err := os.ReadFile(audit); err == nil && bytes.Contains(log, []byte(q.ID())) && bytes.Contains(log, []byte(permit.ByTimeout)) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the question is never closed")
		}
	}
	cancel()
	<-done
}

// A failure that repeats is logged once, until it has ended.
func TestFailuresAreToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		a := App{log: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, cancel := context.WithCancel(t.Context())
		outcomes := []error{errors.New("one"), errors.New("one"), errors.New("two"), errors.New("two"), nil, errors.New("two")}
		n := 0
		a.regularly(ctx, time.Second, "it failed", func(context.Context) error {
			if n == len(outcomes) {
				cancel()
				return nil
			}
			n++
			return outcomes[n-1]
		})
		if got := strings.Count(log.String(), "it failed"); got != 3 {
			t.Errorf("told %d times:\n%s", got, log.String())
		}
	})
}
