package app

import (
	"os"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/anthropic"
	"belay/internal/model/scripted"
)

// newProvider builds the configured provider with the one retry layer on top.
func newProvider(cfg *config.Config) (model.Provider, error) {
	p, err := bareProvider(cfg)
	if err != nil {
		return nil, err
	}
	return model.WithRetry(p, model.RetryPolicy{
		Attempts: cfg.Retry.Attempts, Base: cfg.Retry.Base, Max: cfg.Retry.Max,
	}), nil
}

func bareProvider(cfg *config.Config) (model.Provider, error) {
	catalog := model.Anthropic().With(overrides(cfg))
	if cfg.Provider == anthropic.Name {
		return anthropic.New(anthropic.Options{
			Key:     cfg.Keys.Anthropic.Reveal,
			BaseURL: cfg.Anthropic.BaseURL, Version: cfg.Anthropic.Version,
			AllowedHosts:   cfg.Network.AllowedHosts,
			MaxTokens:      cfg.Anthropic.MaxTokens,
			ConnectTimeout: cfg.Anthropic.ConnectTimeout, HeaderTimeout: cfg.Anthropic.HeaderTimeout,
			MaxAnswer: cfg.Anthropic.StreamBytes, MaxLine: cfg.Anthropic.LineBytes,
			Catalog: &catalog,
		})
	}
	o := scripted.Options{Pace: cfg.Scripted.Pace, Catalog: &catalog}
	if cfg.Scripted.Script != "" {
		data, err := os.ReadFile(cfg.Scripted.Script)
		if err != nil {
			return nil, fault.New(fault.InvalidRequest, "scripted.script cannot be read: %v", err)
		}
		if o.Script, err = scripted.Parse(cfg.Scripted.Script, data); err != nil {
			return nil, err
		}
	}
	return scripted.New(o), nil
}

func overrides(cfg *config.Config) map[string]model.Override {
	m := make(map[string]model.Override, len(cfg.Models))
	for name, o := range cfg.Models {
		m[name] = model.Override{ContextTokens: o.ContextTokens, OutputTokens: o.OutputTokens}
	}
	return m
}

func prices(cfg *config.Config) model.Prices {
	m := make(model.Prices, len(cfg.Prices))
	for name, p := range cfg.Prices {
		m[name] = model.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite}
	}
	if cfg.Provider == scripted.Name {
		return m // what the embedded provider says costs nothing
	}
	return model.ListPrices().With(m)
}
