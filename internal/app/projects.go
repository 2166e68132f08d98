package app

import (
	"sync"

	"belay/internal/attachment"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/tool/shell"
	"belay/internal/turn"
)

// projects answers which rules hold in a project: the server's, tightened by
// the belay.yaml that the project brings along.
type projects struct {
	cfg *config.Config
	// plain are the rules of a project without a belay.yaml, the usual one.
	plain func() (turn.Rules, error)
}

func newProjects(cfg *config.Config) projects {
	return projects{cfg, sync.OnceValues(func() (turn.Rules, error) { return rules(cfg.Plain()) })}
}

// rules returns the project's rules. A belay.yaml that is not valid fails the
// turn: a limit that its author meant to set must not silently be absent.
func (p projects) rules(projectRoot string) (turn.Rules, error) {
	cfg, err := p.cfg.ForProject(projectRoot)
	if err != nil {
		return turn.Rules{}, fault.New(fault.InvalidRequest, "the project's belay.yaml is not valid: %v", err).
			WithHint("correct the file; belay config check lists every problem").Because(err)
	}
	if cfg == p.cfg.Plain() {
		return p.plain()
	}
	return rules(cfg)
}

func rules(cfg *config.Config) (turn.Rules, error) {
	allowed, err := permitRules("permit.allow", cfg.Permit.Allow)
	if err != nil {
		return turn.Rules{}, err
	}
	denied, err := permitRules("permit.deny", cfg.Permit.Deny)
	if err != nil {
		return turn.Rules{}, err
	}
	before, err := permitRules("permit.ask_before", cfg.Permit.AskBefore)
	if err != nil {
		return turn.Rules{}, err
	}
	outside, err := permitRules("permit.outside", cfg.Permit.Outside)
	if err != nil {
		return turn.Rules{}, err
	}
	var withheld []string
	if !cfg.Bash.Enabled {
		withheld = []string{shell.Name}
	}
	return turn.Rules{
		Tools: toolLimits(cfg), Allowed: allowed, Denied: denied, AskBefore: before, Outside: outside, Withheld: withheld,
		Policy: attachment.Policy{
			Extensions: cfg.Attachments.Extensions, MaxItems: cfg.Attachments.MaxItems,
			FileBytes: cfg.Attachments.FileBytes, TurnBytes: cfg.Attachments.TurnBytes,
		},
		ConfineAttachments: cfg.ConfineAttachments(),
		UploadBytes:        cfg.Attachments.UploadBytes,
		DefaultModel:       defaultModel(cfg),
		SubagentsEnabled:   gate(cfg.Subagents.Enabled),
		Limits:             limits(cfg),
	}, nil
}

// permitRules reads the rules of a setting.
func permitRules(key string, texts []string) ([]permit.Rule, error) {
	rules, err := permit.ParseRules(texts)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "%s: %v", key, err).
			WithHint("correct the setting; belay config show says where it comes from").Because(err)
	}
	return rules, nil
}

func limits(cfg *config.Config) turn.Limits {
	c := cfg.Turn
	return turn.Limits{
		Stall: c.StallTimeout, Wall: c.WallLimit, Unattended: cfg.Permit.Unattended,
		MaxTurns: c.MaxTurns, MaxTokens: c.MaxTokens, MaxCostUSD: c.MaxCostUSD,
		MessageBytes: turn.MaxMessageBytes, NotesBytes: c.InstructionsBytes, AnswerBytes: turn.MaxAnswerBytes,
		QueueLength: turn.QueueLength, QueueWait: turn.QueueWait,
		IdempotencyTTL: turn.IdempotencyTTL,
		InFlight:       cfg.Server.MaxTurnsInFlight,
		DeltaInterval:  turn.DeltaInterval, DeltaBytes: turn.DeltaBytes,
	}
}
