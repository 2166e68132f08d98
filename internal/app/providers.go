package app

import (
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/anthropic"
	"belay/internal/model/openai"
	"belay/internal/model/scripted"
	"belay/internal/persona"
)

// openRoot opens the configured instruction root.
func openRoot(cfg *config.Config) (*persona.Root, error) {
	return persona.Open(cfg.Instructions)
}

// newProvider builds the configured provider with the one retry layer on top.
func newProvider(cfg *config.Config) (model.Provider, error) {
	p, err := bareProvider(cfg)
	if err != nil {
		return nil, err
	}
	return model.WithRetry(p, retryPolicy(cfg)), nil
}

func bareProvider(cfg *config.Config) (model.Provider, error) {
	if cfg.Provider == anthropic.Name {
		o := anthropicOptions(cfg)
		o.Key = cfg.Keys.Anthropic.Reveal
		return anthropic.New(o)
	}
	if cfg.Provider == openai.Name {
		o := openaiOptions(cfg)
		o.Key = cfg.Keys.OpenAI.Reveal
		return openai.New(o)
	}
	o := scriptedOptions(cfg)
	if cfg.Scripted.Script != "" {
		data, _, err := durable.ReadFile(nil, cfg.Scripted.Script, scripted.MaxScriptBytes)
		if err != nil {
			return nil, fault.New(fault.InvalidRequest, "scripted.script cannot be read: %v", err).
				WithHint("name a YAML file of at most %d MiB, or leave scripted.script blank", scripted.MaxScriptBytes>>20).Because(err)
		}
		if o.Script, err = scripted.Parse(cfg.Scripted.Script, data); err != nil {
			return nil, fault.New(fault.InvalidRequest, "%v", err).
				WithHint("correct the script, or leave scripted.script blank; docs/scripted.md says what it can have").Because(err)
		}
	}
	return scripted.New(o), nil
}

// corrected is what is known of models, corrected by the settings.
func corrected(c model.Catalog, cfg *config.Config) *model.Catalog {
	c = c.With(overrides(cfg))
	return &c
}

func overrides(cfg *config.Config) map[string]model.Override {
	m := make(map[string]model.Override, len(cfg.Models))
	for name, o := range cfg.Models {
		m[name] = model.Override{ContextTokens: o.ContextTokens, OutputTokens: o.OutputTokens}
	}
	return m
}

func prices(cfg *config.Config) model.Prices {
	said := make(map[string]model.PriceOverride, len(cfg.Prices))
	for name, p := range cfg.Prices {
		said[name] = model.PriceOverride(p)
	}
	if cfg.Provider == scripted.Name {
		return model.Prices{}.With(said) // what the embedded provider says costs nothing
	}
	return model.ListPrices().With(said)
}
