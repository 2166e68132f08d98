package cli

import (
	"context"

	"belay/internal/app"
	"belay/internal/chat"
	"belay/internal/client"
)

// modelsHere are the models that the provider of this process is known to have.
func modelsHere(a *app.App) func(context.Context) ([]chat.ModelChoice, error) {
	return func(context.Context) ([]chat.ModelChoice, error) {
		list, err := app.Models(a)
		var all []chat.ModelChoice
		for _, m := range list.Models {
			one := chat.ModelChoice{ID: m.ID, Context: m.ContextTokens, Usual: m.ID == list.Default, About: chat.Tokens(m.ContextTokens, 0, 0)}
			if m.Price != nil {
				one.About = chat.Tokens(m.ContextTokens, m.Price.Input, m.Price.Output)
			}
			all = append(all, one)
		}
		return all, err
	}
}

// modelsThere are those that a server says it has.
func modelsThere(e *client.Client) func(context.Context) ([]chat.ModelChoice, error) {
	return func(ctx context.Context) ([]chat.ModelChoice, error) {
		list, usual, err := client.Models(ctx, e)
		var all []chat.ModelChoice
		for _, m := range list {
			one := chat.ModelChoice{ID: m.ID, Context: m.ContextTokens, Usual: m.ID == usual, About: chat.Tokens(m.ContextTokens, 0, 0)}
			if m.Price != nil {
				one.About = chat.Tokens(m.ContextTokens, m.Price.Input, m.Price.Output)
			}
			all = append(all, one)
		}
		return all, err
	}
}
