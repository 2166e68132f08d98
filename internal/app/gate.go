package app

import (
	"context"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/tool"
	"belay/internal/tool/shell"
	"belay/internal/workspace"
)

// gateOf is the gate of what belay itself writes in projects.
func gateOf(s *shell.Shell) workspace.Gate {
	return func(ctx context.Context, project string) (leave func(), err error) {
		pass, err := s.Enter(ctx, project)
		if refusal, ok := tool.AsRefusal(err); ok {
			err = fault.New(fault.Overloaded, "%s", refusal.Reason).Because(err)
		}
		if err != nil {
			return nil, err
		}
		return func() { _ = pass.Leave() }, nil // closing the lock frees it in any case
	}
}

// newGate is the gate of a command that builds no App.
func newGate(cfg *config.Config) workspace.Gate { return gateOf(shell.New(shellOptions(cfg))) }
