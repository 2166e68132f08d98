package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/config"
	"belay/internal/turn"
)

// What a deleted session said leaves the bus: at once where this server deletes
// it, and at the next tidying where another process did.
func TestDeletedSessionsLeaveTheBus(t *testing.T) {
	t.Parallel()
	cfg := load(t, "scripted: {pace: 0}\n")
	home := t.TempDir()
	cfg.Paths.StateDir, cfg.Paths.CacheDir = filepath.Join(home, "state"), filepath.Join(home, "cache")
	cfg.Bus.Enabled = config.BusOn
	a, err := Open(cfg, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c, err := a.startBus(ctx, &readiness{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.stop(), a.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	said := func() string {
		rec, err := a.Engine.Create(ctx, turn.CreateRequest{ProjectRoot: home})
		if err != nil {
			t.Fatal(err)
		}
		e := contract.Envelope{ID: rec.SessionID, Session: rec.SessionID, Request: "r", Client: "test"}
		if err := c.bus.Publish(ctx, e, &contract.RequestMessage{Queue: contract.QueuePrompt, Text: "a secret"}); err != nil {
			t.Fatal(err)
		}
		return rec.SessionID
	}
	mine, theirs, kept := said(), said(), said()
	if err := a.engine(c).Delete(ctx, mine); err != nil {
		t.Fatal(err)
	}
	if err := a.Store.Delete(ctx, theirs); err != nil {
		t.Fatal(err)
	}
	onBus := func() map[string]bool {
		ids, err := c.bus.Sessions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		set := map[string]bool{}
		for _, id := range ids {
			set[id] = true
		}
		return set
	}
	if got := onBus(); got[mine] || !got[theirs] || !got[kept] {
		t.Errorf("after the first was deleted the bus has %v", got)
	}
	if err := a.forgetDeleted(ctx, c); err != nil {
		t.Fatal(err)
	}
	if got := onBus(); got[mine] || got[theirs] || !got[kept] {
		t.Errorf("after tidying the bus has %v", got)
	}
}
