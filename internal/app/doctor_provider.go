package app

import (
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/model/anthropic"
	"belay/internal/model/openai"
)

func provider(cfg *config.Config) Check {
	c := Check{Name: "provider", Level: OK, Detail: cfg.Provider}
	p, err := bareProvider(cfg)
	if err == nil {
		err = p.Ready()
	}
	if err != nil {
		f := fault.From(err)
		c.Level, c.Detail, c.Next = Problem, f.Message, f.NextStep()
		return c
	}
	if cfg.Provider == openai.Name {
		c.Detail = "openai at " + cfg.OpenAI.BaseURL
		if !cfg.Keys.OpenAI.Set() {
			c.Detail += ", without a key"
		}
	}
	if w := ScriptedWithKey(cfg); w != "" {
		c.Level, c.Detail, c.Next = Notice, w, "choose the provider with --provider anthropic or --provider openai"
	}
	return c
}

// KeyOf says in a line for people whether the provider has the key that it needs. It asks
// nobody: a key that the provider refuses is as good as any.
func KeyOf(cfg *config.Config) string {
	if c := provider(cfg); c.Level == Problem {
		return c.Detail + "; " + c.Next
	}
	set := func(key config.Secret) string {
		if !key.Set() {
			return "none, which " + cfg.Provider + " at this address does not need"
		}
		return "set in the environment; a warning follows if it is not accepted"
	}
	switch cfg.Provider {
	case anthropic.Name:
		return set(cfg.Keys.Anthropic)
	case openai.Name:
		return set(cfg.Keys.OpenAI)
	}
	return "none is needed"
}

// ScriptedWithKey says, for people, that answers are made up although a real
// provider's key is there; "" when that is not so.
func ScriptedWithKey(cfg *config.Config) string {
	if cfg.Provider != "scripted" {
		return ""
	}
	for _, k := range []struct {
		key  config.Secret
		name string
	}{{cfg.Keys.Anthropic, "Anthropic"}, {cfg.Keys.OpenAI, "OpenAI"}} {
		if k.key.Set() {
			return "answers come from the embedded scripted provider, although a key for " + k.name + " is in the environment"
		}
	}
	return ""
}
