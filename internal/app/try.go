package app

import (
	"context"
	"time"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/anthropic"
	"belay/internal/model/openai"
)

// tryTokens bounds the answer to a test call. A model that reasons needs room for that
// before it answers; OpenAI's refuse a call that has too little.
const tryTokens = 1024

// Try asks the configured provider for one short answer, once, and returns how long that
// took. It makes no session and keeps nothing. The error is that of a turn that fails the
// same way, such as MISSING_API_KEY.
func Try(ctx context.Context, a *App) (time.Duration, error) {
	name, err := usualModel(a)
	if err != nil {
		return 0, err
	}
	p, err := bareProvider(a.Config)
	if err != nil {
		return 0, err
	}
	defer hangUp(p)
	if err := p.Ready(); err != nil {
		return 0, err
	}
	begun, complete := time.Now(), false
	for chunk, err := range p.Stream(ctx, model.Request{Model: name, Prompt: model.StringPrompt("Reply with the word OK."), MaxTokens: tryTokens}) {
		if err != nil {
			return 0, err
		}
		if _, ok := chunk.(model.Stop); ok {
			complete = true
		}
	}
	if !complete {
		return 0, fault.New(fault.SDKFailure, "the answer ended without its end marker").
			With("provider", a.Config.Provider).With("category", string(model.StreamTruncated))
	}
	return time.Since(begun), nil
}

// CheckKey asks the configured provider for its models, which costs nothing, and reports
// a key that it does not take, or that it cannot be reached. Other answers are none of
// its business: the first turn tells of them. Providers that need no key pass.
func CheckKey(ctx context.Context, a *App) error {
	if _, set := KeyVariable(a.Config, a.Config.Provider); !set {
		return nil
	}
	p, err := bareProvider(a.Config)
	if err != nil {
		return err
	}
	defer hangUp(p)
	c, ok := p.(interface{ Check(context.Context) error })
	if !ok {
		return nil
	}
	if err = c.Check(ctx); err == nil || ctx.Err() != nil {
		return nil
	}
	category, _ := fault.From(err).Details["category"].(string)
	switch model.Category(category) {
	case model.InvalidAPIKey, model.NetworkError, model.RequestTimeout:
		return err
	}
	return nil
}

// KeyVariable is the environment variable that a provider's key is read from, and whether
// it has one; "" for a provider without keys.
func KeyVariable(cfg *config.Config, provider string) (name string, set bool) {
	switch provider {
	case anthropic.Name:
		return "ANTHROPIC_API_KEY", cfg.Keys.Anthropic.Set()
	case openai.Name:
		return "OPENAI_API_KEY", cfg.Keys.OpenAI.Set()
	}
	return "", false
}
