package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/chat"
	"belay/internal/client"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/turn"
)

// chatRetries is how often the client tries in vain before it says so: a chat on a screen
// shows that, and tries on by itself.
const chatRetries = 1

// chatRemote runs the turns on a server. On this machine the server reads the same
// files; to another one they are uploaded.
func chatRemote(c *console, cmd *cobra.Command, cfg *config.Config, f *chatFlags, o chat.Options, wrong *problems) error {
	wrong.add(serversOwn(cmd))
	var patience client.Options // line by line, the chat waits for a server that restarts as a turn does
	if c.screen() {
		patience.Retries = chatRetries
	}
	e, err := c.dialWith(cfg, f.server, patience)
	if err != nil {
		wrong.add(err)
		return wrong.err()
	}
	o.Outlives, o.Models = true, modelsThere(e)
	o.Welcome = &chat.Welcome{Provider: "that of the server " + f.server, Key: "the server has its own, and is ready"}
	switch err := e.Ready(cmd.Context()); {
	case fault.Is(err, fault.Overloaded):
		o.Welcome.Key = ""
		o.Notices = append(o.Notices, "the server takes no turns now: "+fault.From(err).Message)
	case err != nil:
		wrong.add(err)
		return wrong.err()
	}
	if o.Project, err = remoteProject(cmd, cfg, f.server, f.session); err == nil {
		o.Folder, err = projectDir(cfg)
	}
	wrong.add(err)
	if !local(f.server) {
		if o.Folder, err = os.Getwd(); err != nil {
			return fmt.Errorf("the working folder is unknown: %w", err)
		}
		o.Upload = func(ctx context.Context, id, path string) (string, error) {
			return upload(ctx, e, turn.Upload{SessionID: id}, path)
		}
	}
	return chatThere(c, cmd, e, cfg, f, o, wrong)
}

// uploadOnce is upload for all files but those that the engine has already, which
// attach names for the person.
func uploadOnce(upload uploader, there []attachedFile, attach *[]string) uploader {
	brought := map[string]string{}
	for _, f := range there {
		name := f.path
		if upload != nil && !f.fetched {
			name = f.local
		}
		*attach, brought[name] = append(*attach, name), f.path
	}
	if upload == nil {
		return nil
	}
	return func(ctx context.Context, id, path string) (string, error) {
		if at, ok := brought[path]; ok {
			return at, nil
		}
		return upload(ctx, id, path)
	}
}

// uploader brings a file to a server.
type uploader = func(ctx context.Context, sessionID, path string) (string, error)

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
