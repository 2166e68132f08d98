package turn

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn/agent"
	"belay/internal/turn/ending"
	"belay/internal/turn/recovery"
)

// bootMessage is what a bootstrap says to providers that look at words.
const bootMessage = "bootstrap"

// boots runs the bootstrap step of the usual provider for sessions.
type boots struct {
	store    *session.Store
	root     *persona.Root
	provider model.Provider
	clock    func() time.Time
	newID    func() string
	lifetime *lifetime
	projects *projects
	resolver *resolver
	records  *recovery.Records
	dead     *deadTurns
}

// boot implements [Turns.Boot]: it resolves the session's options as a turn would
// and runs the provider's own bootstrap step under constraints that no option
// lifts: plan mode, one model call, no tools, no subagents. Nothing is saved
// when it fails. Order of checks: contract 1.6.
func (b *boots) boot(ctx context.Context, r BootRequest) (_ BootResult, err error) {
	if err := r.Opts.Validate(); err != nil {
		return BootResult{}, err
	}
	rec, err := b.store.Get(ctx, r.SessionID)
	if err != nil {
		return BootResult{}, err
	}
	if _, err := b.projects.check(rec.ProjectRoot); err != nil {
		return BootResult{}, err
	}
	opts := r.Opts
	opts.Tools = &[]string{} // none is offered, so none is waited for
	s, err := b.resolver.resolve(ctx, rec, Request{Opts: opts})
	if err != nil {
		return BootResult{}, err
	}
	if err := b.provider.Ready(); err != nil {
		return BootResult{}, err
	}
	if err := b.lifetime.enter(); err != nil {
		return BootResult{}, err
	}
	defer b.lifetime.leave()
	lease, err := b.dead.acquireIdle(ctx, r.SessionID, onBusyReject)
	if err != nil {
		return BootResult{}, err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	return b.record(ctx, lease, s.Settings, r.Probe)
}

// record runs the step and puts it on the session's record.
func (b *boots) record(ctx context.Context, lease *session.Lease, s agent.Settings, probe bool) (BootResult, error) {
	// Others learn that the session is busy instead of waiting for its lease.
	if err := lease.Boot(); err != nil {
		return BootResult{}, err
	}
	if err := b.records.Settle(ctx, lease); err != nil {
		return BootResult{}, err
	}
	conversation := lease.Record().ClaudeSessionID
	if conversation == "" {
		conversation = "claude_" + b.newID()
	}
	if err := b.bootstrap(ctx, s, conversation, probe); err != nil {
		return BootResult{}, err
	}
	now := session.Time{Time: b.clock()}
	err := lease.Update(func(rec *session.Record) {
		rec.ClaudeSessionID = conversation
		rec.BootFingerprint = b.root.Fingerprint(s.Persona, s.Mode)
		rec.BootedAt, rec.UpdatedAt = &now, now
		rec.Model = s.Model
	})
	if err == nil {
		err = lease.Commit(ctx)
	}
	if err != nil {
		return BootResult{}, err
	}
	rec := lease.Record()
	return BootResult{Session: rec, Boot: Boot{
		ClaudeSessionID: rec.ClaudeSessionID, BootFingerprint: rec.BootFingerprint, BootedAt: now,
	}}, nil
}

// bootstrap runs the provider's step within the stall limit and the engine's
// life; a panic in it is an error of this boot.
func (b *boots) bootstrap(ctx context.Context, s agent.Settings, conversation string, probe bool) (err error) {
	provider, ok := b.provider.(model.Bootstrapper)
	if !ok {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = ending.Panicked("the provider crashed", v, debug.Stack())
		}
	}()
	stall := s.Stall
	ctx, cancel := context.WithTimeoutCause(ctx, stall,
		fault.New(fault.SDKFailure, "the bootstrap took longer than %v", stall).
			WithStatus(504).With("category", "REQUEST_TIMEOUT"))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(b.lifetime.ctx, func() { stop(shuttingDown()) })()
	err = provider.Bootstrap(ctx, model.Request{
		Model: s.Model, System: []string{s.Persona.SystemPrompt()}, Prompt: model.StringPrompt(bootMessage),
		MaxTokens: 16, Mode: "plan", Session: conversation,
	}, probe)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
