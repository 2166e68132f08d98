package turn

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// booted is a fake provider with a bootstrap step.
type booted struct {
	*fake
	step func(ctx context.Context, r model.Request, probe bool) error
	last model.Request
}

func (b *booted) Bootstrap(ctx context.Context, r model.Request, probe bool) error {
	b.last = r
	return b.step(ctx, r, probe)
}

func bootRig(t *testing.T, step func(context.Context, model.Request, bool) error, change ...func(*Options)) (*rig, *booted) {
	r := emptyRig(t)
	b := &booted{fake: r.provider, step: step}
	r.open(append([]func(*Options){func(o *Options) { o.Provider = b }}, change...)...)
	return r, b
}

func fine(context.Context, model.Request, bool) error { return nil }

// Covers: turn-api REQ-02
func TestBoot(t *testing.T) {
	t.Parallel()
	r, b := bootRig(t, fine)
	id := r.session()
	result, err := r.engine.Boot(r.ctx(), BootRequest{SessionID: id, Opts: Opts{Tools: &[]string{"bash"}, MaxTurns: ptr(9), Mode: "acceptEdits", Model: "some-model"}})
	must(t, err)
	if b.last.Mode != "plan" || len(b.last.Tools) != 0 || b.last.Model != "some-model" || string(b.last.Prompt.(model.StringPrompt)) != bootMessage {
		t.Errorf("bootstrap got %+v", b.last)
	}
	var wire struct{ Session, Boot map[string]any }
	raw, err := json.Marshal(result)
	must(t, err)
	must(t, json.Unmarshal(raw, &wire))
	for _, field := range []string{"claudeSessionId", "bootFingerprint", "bootedAt"} {
		if wire.Boot[field] == nil || wire.Boot[field] != wire.Session[field] {
			t.Errorf("%s: %v in boot, %v in session", field, wire.Boot[field], wire.Session[field])
		}
	}
	rec, err := r.engine.Get(r.ctx(), id)
	must(t, err)
	if rec.Model != "some-model" || rec.Mode != DefaultMode || rec.Persona != DefaultPersona {
		t.Errorf("options of a boot were saved: %+v", rec)
	}
	init := payload[event.Init](t, r.say(id, "hi"), event.SessionInit)
	if init.ClaudeSessionID != result.Boot.ClaudeSessionID {
		t.Errorf("the turn goes on in %q instead of %q", init.ClaudeSessionID, result.Boot.ClaudeSessionID)
	}
	again, err := r.engine.Boot(r.ctx(), BootRequest{SessionID: id})
	must(t, err)
	if again.Boot.ClaudeSessionID != result.Boot.ClaudeSessionID {
		t.Error("a second boot began another conversation")
	}
}

// What the fingerprint stands for: persona, mode and the files' content.
func TestBootFingerprint(t *testing.T) {
	t.Parallel()
	root := ""
	r := rootedRig(t, func(o *Options) { root = o.Root.Path() })
	id := r.session()
	boot := func(o Opts) string {
		t.Helper()
		result, err := r.engine.Boot(r.ctx(), BootRequest{SessionID: id, Opts: o})
		must(t, err)
		return result.Boot.BootFingerprint
	}
	plain := boot(Opts{})
	if len(plain) != 64 || boot(Opts{}) != plain || boot(Opts{Model: "other"}) != plain {
		t.Errorf("the fingerprint %q does not stand still", plain)
	}
	if boot(Opts{Persona: "BOSS"}) == plain || boot(Opts{Mode: "plan"}) == plain {
		t.Error("persona or mode do not count")
	}
	file := filepath.Join(root, "agents", "AGENT_WORKING_ITEMS.md")
	must(t, os.WriteFile(file, []byte("AGENT_TYPE: TYPE 1\n\nOther words.\n"), 0o600))
	if boot(Opts{}) == plain {
		t.Error("the instructions' content does not count")
	}
}

// A boot that fails saves nothing and leaves the session free; its faults come
// in the contract's order (1.6).
//
// Covers: turn-api REQ-10, REQ-13
func TestBootFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(r *rig, q *BootRequest)
		step   func(context.Context, model.Request, bool) error
		want   fault.Type
		status int
	}{
		{"unknown session", func(r *rig, q *BootRequest) { q.SessionID = "nobody"; q.Opts.Persona = "NOBODY" }, fine, fault.SessionNotFound, 404},
		{"unknown persona", func(r *rig, q *BootRequest) {
			q.Opts.Persona = "NOBODY"
			r.provider.ready = fault.New(fault.MissingAPIKey, "x")
		}, fine, fault.PersonaNotFound, 404},
		{"no key", func(r *rig, _ *BootRequest) { r.provider.ready = fault.New(fault.MissingAPIKey, "x") }, fine, fault.MissingAPIKey, 503},
		{"bad option", func(_ *rig, q *BootRequest) { q.Opts.MaxTurns = ptr(0) }, fine, fault.InvalidRequest, 400},
		{"provider says no", nil, func(context.Context, model.Request, bool) error {
			return fault.New(fault.SDKFailure, "no").With("exitCode", 1)
		}, fault.SDKFailure, 500},
		{"panic", nil, func(context.Context, model.Request, bool) error { panic("boom") }, fault.SDKFailure, 500},
		{"stall", nil, func(ctx context.Context, _ model.Request, _ bool) error { <-ctx.Done(); return ctx.Err() }, fault.SDKFailure, 504},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, _ := bootRig(t, tt.step, func(o *Options) {
				if tt.name == "stall" {
					o.Rules.Limits.Stall = 50 * time.Millisecond
				}
			})
			id := r.session()
			before, err := r.engine.Get(r.ctx(), id)
			must(t, err)
			q := BootRequest{SessionID: id}
			if tt.change != nil {
				tt.change(r, &q)
			}
			_, err = r.engine.Boot(r.ctx(), q)
			if f := fault.From(err); f == nil || f.Type != tt.want || f.Status != tt.status {
				t.Errorf("got %v, want %s %d", err, tt.want, tt.status)
			}
			if after, err := r.engine.Get(r.ctx(), id); err != nil || after != before {
				t.Errorf("the record is %+v, was %+v", after, before)
			}
			r.provider.ready = nil
			r.say(id, "free")
		})
	}
}

// While a boot waits for its provider the session is busy, and says so at once.
//
// Covers: turn-api REQ-11
func TestTurnDuringBoot(t *testing.T) {
	t.Parallel()
	begun, proceed := make(chan struct{}), make(chan struct{})
	r, _ := bootRig(t, func(context.Context, model.Request, bool) error {
		close(begun)
		<-proceed
		return nil
	})
	id := r.session()
	booted := make(chan error, 1)
	go func() {
		_, err := r.engine.Boot(r.ctx(), BootRequest{SessionID: id})
		booted <- err
	}()
	wait(t, begun)
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
	if !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("a turn while a boot is under way: %v", err)
	}
	if err := r.engine.dead.leases.holdOn(r.ctx(), id, 0); !errors.Is(err, session.ErrBusy) {
		t.Errorf("a boot under way is waited for: %v", err)
	}
	if err := r.engine.Delete(r.ctx(), id); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("a deletion while a boot is under way: %v", err)
	}
	close(proceed)
	must(t, <-booted)
	if exit := exitOf(t, r.say(id, "go")); exit.ExitCode != 0 {
		t.Errorf("the turn after the boot: %+v", exit)
	}
}

// The same while another process boots the session, and once that is killed.
//
// Covers: turn-api REQ-11
func TestTurnDuringAnothersBoot(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	c := r.child("boot", id, "")
	c.expect(t, "booting")
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
	if !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("a turn while another process boots: %v", err)
	}
	if err := r.engine.dead.leases.holdOn(r.ctx(), id, 0); !errors.Is(err, session.ErrBusy) {
		t.Errorf("another process's boot is waited for: %v", err)
	}
	c.kill()
	events := r.say(id, "go")
	if exit := exitOf(t, events); exit.ExitCode != 0 {
		t.Errorf("the turn after the boot: %+v", exit)
	}
	if warned := payload[event.Init](t, events, event.SessionInit).Warnings; len(warned) > 0 {
		t.Errorf("a boot that was killed is warned of: %+v", warned)
	}
}
