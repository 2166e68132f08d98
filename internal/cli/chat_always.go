package cli

import (
	"context"

	"belay/internal/app"
	"belay/internal/chat"
	"belay/internal/config"
	"belay/internal/permit"
)

// alwaysHere writes rules to the person's own file, nil where there is none.
func alwaysHere(a *app.App, layers config.Options) *chat.Always {
	file := config.UserFile(layers)
	if file == "" {
		return nil
	}
	return &chat.Always{File: file, Write: func(ctx context.Context, rules []permit.Rule) (string, error) {
		return app.AlwaysAllow(ctx, a, layers, rules)
	}}
}
