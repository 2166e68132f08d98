package app

import (
	"belay/internal/attachment"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/turn"
)

// projects answers which rules hold in a project: the server's, tightened by
// the belay.yaml that the project brings along.
type projects struct{ cfg *config.Config }

func newProjects(cfg *config.Config) projects { return projects{cfg} }

// rules returns the project's rules. A belay.yaml that is not valid fails the
// turn: a limit that its author meant to set must not silently be absent.
func (p projects) rules(projectRoot string) (turn.Rules, error) {
	cfg, err := p.cfg.ForProject(projectRoot)
	if err != nil {
		return turn.Rules{}, fault.New(fault.InvalidRequest, "the project's belay.yaml is not valid: %v", err).
			WithHint("correct the file; belay config check lists every problem").Because(err)
	}
	return rules(cfg), nil
}

func rules(cfg *config.Config) turn.Rules {
	return turn.Rules{
		Policy: attachment.Policy{
			Extensions: cfg.Attachments.Extensions, MaxItems: cfg.Attachments.MaxItems,
			FileBytes: cfg.Attachments.FileBytes, TurnBytes: cfg.Attachments.TurnBytes,
		},
		ConfineAttachments: cfg.ConfineAttachments(),
		UploadBytes:        cfg.Attachments.UploadBytes,
		DefaultModel:       cfg.DefaultModel,
		SubagentsEnabled:   gate(cfg.Subagents.Enabled),
		Limits:             limits(cfg),
	}
}

func limits(cfg *config.Config) turn.Limits {
	c := cfg.Turn
	return turn.Limits{
		Stall: c.StallTimeout, Wall: c.WallLimit,
		MaxTurns: c.MaxTurns, MaxTokens: c.MaxTokens, MaxCostUSD: c.MaxCostUSD,
		MessageBytes: c.MessageBytes, NotesBytes: c.InstructionsBytes, AnswerBytes: c.AnswerBytes,
		QueueLength: c.QueueLength, QueueWait: c.QueueWait,
		IdempotencyTTL: c.IdempotencyTTL,
		InFlight:       cfg.Server.MaxTurnsInFlight,
		DeltaInterval:  cfg.Delta.Interval, DeltaBytes: int(cfg.Delta.Bytes),
	}
}
