package app

import (
	"context"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/tool"
	"belay/internal/tool/shell"
	"belay/internal/workspace"
	"belay/internal/workspace/snapshot"
)

// notifier keeps what belay itself writes in a project, for people and agents, apart
// from the changes that it applies there for commands.
type notifier struct{ gate tool.Gate }

// notifier returns the notifier of a running App.
func (a *App) notifier() notifier { return notifier{a.shell} }

// newNotifier returns the notifier of a command that builds no App.
func newNotifier(cfg *config.Config) notifier { return notifier{shell.New(shellOptions(cfg))} }

// enter goes through the gate.
func (a notifier) enter(ctx context.Context, project string) (tool.Pass, error) {
	pass, err := a.gate.Enter(ctx, project)
	if refusal, ok := tool.AsRefusal(err); ok {
		return nil, fault.New(fault.Overloaded, "%s", refusal.Reason).Because(err)
	}
	return pass, err
}

// notify implements [workspace.Notify].
func (a notifier) notify(ctx context.Context, w workspace.Write) (done func(written bool), err error) {
	pass, err := a.enter(ctx, w.Project)
	if err != nil {
		return nil, err
	}
	return func(bool) { _ = pass.Leave() }, nil // closing the lock frees it in any case
}

// publishes implements [snapshot.Gate].
func (a notifier) publishes(ctx context.Context, project string) (snapshot.Pass, error) {
	pass, err := a.enter(ctx, project)
	if err != nil {
		return nil, err
	}
	return pass, nil
}
