package app

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"belay/internal/bus"
	"belay/internal/discord"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
	"belay/internal/fault"
	"belay/internal/session"
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
	o := discordOptions(a)
	o.Bus, o.Page, o.Setup = bus.NewClient(c.bus, "discord"), page, setup
	surface, err := discord.New(o)
	if err != nil {
		a.discordLacks(ready, err)
		return
	}
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

// discordLacks says that the server goes without Discord.
func (a *App) discordLacks(ready *readiness, err error) {
	ready.lacks(partDiscord, withoutDiscord, err)
	f := fault.From(err)
	a.log.Error("nobody is answered in Discord", "reason", err, "next", f.NextStep())
}

// discordOptions are the settings of the surface in Discord.
func discordOptions(a *App) discord.Options {
	cfg := a.Config.Discord
	channels := map[string]record.Binding{}
	for id, c := range cfg.Channels {
		b := record.Binding{Project: c.Project, Persona: c.Persona, Mode: routing.Mode(c.Mode), Deciders: c.Deciders}
		if b.Mode == "" {
			b.Mode = routing.Mention
		}
		channels[id] = b
	}
	return discord.Options{
		Token: a.Config.Keys.Discord.Reveal(), API: cfg.API, Dir: filepath.Join(a.Config.Paths.StateDir, "discord"),
		Files: sentFiles{a.Store}, Guilds: cfg.Guilds, Users: cfg.Users, Channels: channels, Project: a.Config.Project,
		Debounce: cfg.Debounce, Questions: discord.Questions(cfg.Questions), FileBytes: cfg.MaxFileBytes, Logger: a.log,
	}
}

// sentFiles are the blobs of projects.
type sentFiles struct{ store *session.Store }

// Open implements [discord.Files].
func (f sentFiles) Open(_ context.Context, project, sha256 string) (io.ReadCloser, error) {
	blobs, err := f.store.Blobs(project)
	if err != nil {
		return nil, err
	}
	content, err := blobs.Content(sha256)
	if err != nil {
		return nil, err
	}
	return content.Open()
}
