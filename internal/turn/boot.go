package turn

import (
	"context"
	"errors"
	"runtime/debug"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// bootMessage is what a bootstrap says to providers that look at words.
const bootMessage = "bootstrap"

// Boot implements [Engine]: it resolves the session's options as a turn would
// and runs the provider's own bootstrap step under constraints that no option
// lifts: plan mode, one model call, no tools, no subagents. Nothing is saved
// when it fails. Order of checks: contract 1.6.
func (l *Local) Boot(ctx context.Context, r BootRequest) (_ BootResult, err error) {
	if err := r.Opts.Validate(); err != nil {
		return BootResult{}, err
	}
	rec, err := l.o.Store.Get(ctx, r.SessionID)
	if err != nil {
		return BootResult{}, err
	}
	if _, err := l.projects.check(rec.ProjectRoot); err != nil {
		return BootResult{}, err
	}
	s, err := l.resolver.resolve(rec, Request{Opts: r.Opts})
	if err != nil {
		return BootResult{}, err
	}
	if err := l.o.Provider.Ready(); err != nil {
		return BootResult{}, err
	}
	if err := l.lifetime.enter(); err != nil {
		return BootResult{}, err
	}
	defer l.lifetime.leave()
	lease, err := l.acquireIdle(ctx, r.SessionID, onBusyReject)
	if err != nil {
		return BootResult{}, err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	return l.boot(ctx, lease, s, r.Probe)
}

func (l *Local) boot(ctx context.Context, lease *session.Lease, s settings, probe bool) (BootResult, error) {
	// Others learn that the session is busy instead of waiting for its lease.
	if err := lease.Boot(); err != nil {
		return BootResult{}, err
	}
	if err := l.records.settle(ctx, lease); err != nil {
		return BootResult{}, err
	}
	conversation := lease.Record().ClaudeSessionID
	if conversation == "" {
		conversation = "claude_" + l.o.NewID()
	}
	if err := l.bootstrap(ctx, s, conversation, probe); err != nil {
		return BootResult{}, err
	}
	now := session.Time{Time: l.o.Clock()}
	err := lease.Update(func(rec *session.Record) {
		rec.ClaudeSessionID = conversation
		rec.BootFingerprint = l.o.Root.Fingerprint(s.persona, s.mode)
		rec.BootedAt, rec.UpdatedAt = &now, now
		rec.Model = s.model
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
func (l *Local) bootstrap(ctx context.Context, s settings, conversation string, probe bool) (err error) {
	b, ok := l.o.Provider.(model.Bootstrapper)
	if !ok {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the provider crashed", v, debug.Stack())
		}
	}()
	stall := s.rules.Limits.Stall
	ctx, cancel := context.WithTimeoutCause(ctx, stall,
		fault.New(fault.SDKFailure, "the bootstrap took longer than %v", stall).
			WithStatus(504).With("category", "REQUEST_TIMEOUT"))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(l.lifetime.ctx, func() { stop(shuttingDown()) })()
	err = b.Bootstrap(ctx, model.Request{
		Model: s.model, System: []string{s.persona.SystemPrompt()}, Prompt: model.StringPrompt(bootMessage),
		MaxTokens: 16, Mode: "plan", Session: conversation,
	}, probe)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
