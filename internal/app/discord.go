package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"belay/internal/attachment/block"
	"belay/internal/attachment/links"
	"belay/internal/bus"
	"belay/internal/config"
	"belay/internal/discord"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/workspace"
)

const (
	partDiscord    = "connection to Discord"
	withoutDiscord = "nobody is answered in Discord until the next start"
)

// startDiscord begins to answer in Discord, where the settings have a bot's token. A
// server that cannot goes without, and says so.
func (a *App) startDiscord(ctx context.Context, c *carrier, page string, ready *readiness, setup func(invite, code string)) {
	if !a.Config.Keys.Discord.Set() {
		return
	}
	if c.worker == nil {
		a.discordLacks(ready, errors.New("this server runs no event bus: it is switched off, or another server has it"))
		return
	}
	o := discordOptions(a.Config)
	engine := a.engine(c)
	o.Bus = bus.NewClient(c.bus, "discord").WithBlobs(func(ctx context.Context, session, sha256 string) (io.ReadCloser, error) {
		blob, _, err := engine.Blob(ctx, session, sha256)
		return blob, err
	})
	o.Page, o.Setup, o.Logger = page, setup, a.log
	if o.Project == "" {
		o.Project = a.folder()
	}
	surface, err := discord.New(o)
	if err != nil {
		a.discordLacks(ready, err)
		return
	}
	a.links.Provide("discord:", renewals{surface})
	// It goes on while the last turns end, so their answers arrive.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := surface.Run(life); err != nil {
			a.discordLacks(ready, err)
		}
	}()
	c.endDiscord = func() {
		end()
		<-ended
		if err := surface.Close(); err != nil {
			a.log.Warn("the record of Discord was not closed well", "error", err)
		}
	}
}

// folder is the working directory, where /link connects a channel of a server without
// a project of its own; "" where it can be none.
func (a *App) folder() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	if dir, err = workspace.CheckRoot(dir, a.Root.Path(), PrivateFolders(a.Config)...); err != nil {
		return ""
	}
	return dir
}

// discordLacks says that the server goes without Discord.
func (a *App) discordLacks(ready *readiness, err error) {
	ready.lacks(partDiscord, withoutDiscord, err)
	f := fault.From(err)
	a.log.Error("nobody is answered in Discord", "reason", err, "next", f.NextStep())
}

// publishPatterns are the files that may be sent to a place without a question.
func publishPatterns(c *config.Config) func(session.Destination) []string {
	return func(d session.Destination) []string {
		if d.Surface != "discord" {
			return nil
		}
		return c.Discord.Channels[d.ID].Publish
	}
}

// discordOptions are the settings of the surface in Discord.
func discordOptions(c *config.Config) discord.Options {
	cfg := c.Discord
	channels := map[string]record.Binding{}
	for id, ch := range cfg.Channels {
		b := record.Binding{Project: ch.Project, Persona: ch.Persona, Mode: routing.Mode(ch.Mode), Deciders: ch.Deciders}
		if b.Mode == "" {
			b.Mode = routing.Mention
		}
		channels[id] = b
	}
	return discord.Options{
		Token: c.Keys.Discord.Reveal(), API: cfg.API, Dir: filepath.Join(c.Paths.StateDir, "discord"),
		Guilds: cfg.Guilds, Users: cfg.Users, Channels: channels, Project: c.Project,
		Debounce: cfg.Debounce, Merge: block.Policy(cfg.Merge), Questions: discord.Questions(cfg.Questions), FileBytes: cfg.MaxFileBytes,
	}
}

// renewals asks Discord for new addresses of files.
type renewals struct{ surface *discord.Surface }

// Renew implements [links.Renewer].
func (r renewals) Renew(ctx context.Context, id string) (string, error) {
	address, err := r.surface.Renew(ctx, id)
	if reason, gone := discord.Gone(err); gone {
		return "", &links.GoneError{Reason: "Discord has the file no more: " + reason, Err: err}
	}
	return address, err
}
