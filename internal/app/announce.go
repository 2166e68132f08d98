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

// announcer keeps what belay itself writes in a project, for people and agents, apart
// from the changes that it applies there for commands.
type announcer struct{ gate tool.Gate }

// announcer is that of a process with all rooms.
func (a *App) announcer() announcer { return announcer{a.shell} }

// newAnnouncer is that of a command that needs no other rooms.
func newAnnouncer(cfg *config.Config) announcer { return announcer{shell.New(shellOptions(cfg))} }

// enter goes through the gate.
func (a announcer) enter(ctx context.Context, project string) (tool.Pass, error) {
	pass, err := a.gate.Enter(ctx, project)
	if refusal, ok := tool.AsRefusal(err); ok {
		return nil, fault.New(fault.Overloaded, "%s", refusal.Reason).Because(err)
	}
	return pass, err
}

// announce implements [workspace.Announce].
func (a announcer) announce(ctx context.Context, w workspace.Write) (done func(written bool), err error) {
	pass, err := a.enter(ctx, w.Project)
	if err != nil {
		return nil, err
	}
	return func(bool) { _ = pass.Leave() }, nil // closing the lock frees it in any case
}

// publishes implements [snapshot.Gate].
func (a announcer) publishes(ctx context.Context, project string) (snapshot.Pass, error) {
	pass, err := a.enter(ctx, project)
	if err != nil {
		return nil, err
	}
	return pass, nil
}
