package app

import (
	"cmp"
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
// server that cannot goes without, and says so. Without a token, or where another process
// of this user is connected, belay discord may do it.
func (a *App) startDiscord(ctx context.Context, c *carrier, page string, ready *readiness, setup func(invite, code string)) {
	if c.bus != nil {
		a.links.Provide("discord:", renewals(func(ctx context.Context, id string) (string, error) { return c.bus.RenewLink(ctx, "discord", id) }))
	}
	if !a.Config.Keys.Discord.Set() {
		return
	}
	if c.worker == nil {
		a.discordLacks(ready, fault.New(fault.NotFound, "this server runs no event bus: it is switched off, or another server has it").
			WithHint("leave bus.enabled on auto, or stop the other server, or connect channels with that"))
		return
	}
	surface, err := discord.New(a.discordOptions(c, page, setup))
	if errors.Is(err, record.ErrInUse) {
		a.log.Info("another process answers in Discord")
		return
	}
	if err != nil {
		a.discordLacks(ready, err)
		return
	}
	a.links.Provide("discord:", renewals(surface.Renew))
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

// Discord answers in Discord until ctx is done, beside a server of this user that does the
// work. Setup is that of [ServeOptions].Discord.
func (a *App) Discord(ctx context.Context, setup func(invite, code string)) (err error) {
	if !a.Config.Keys.Discord.Set() {
		return fault.New(fault.MissingAPIKey, "the token of the bot is not set").
			WithHint("put it into BELAY_DISCORD_TOKEN; docs/discord.md says where Discord shows it")
	}
	b, err := AttachBus(ctx, a.Config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close(context.WithoutCancel(ctx))) }()
	page := ""
	if servers, err := Servers(a.Config.Paths.StateDir); err == nil && len(servers) > 0 {
		page = servers[0].URL
	}
	surface, err := discord.New(a.discordOptions(&carrier{bus: b}, page, setup))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, surface.Close()) }()
	stop, err := bus.NewClient(b, "discord").Renewals(func(ctx context.Context, id string) (string, error) {
		address, err := surface.Renew(ctx, id)
		if reason, gone := discord.Gone(err); gone {
			return "", fault.New(fault.NotFound, "%s", reason)
		}
		return address, err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return surface.Run(ctx)
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
	next := f.NextStep()
	if f.Type == fault.SDKFailure { // its step is one of a turn
		next = "correct that, and start belay again"
	}
	a.log.Error("nobody is answered in Discord", "reason", err, "next", next)
}

// publishPatterns are the files that may be sent to a place without a question.
func publishPatterns(c *config.Config) func(session.Destination) []string {
	return func(d session.Destination) []string {
		if d.Surface != "discord" {
			return nil
		}
		if own, ok := c.Discord.Channels[d.ID]; ok {
			return own.Publish
		}
		return c.Discord.Channels[d.Parent].Publish
	}
}

// discordOptions are those of the surface in Discord on a bus.
func (a *App) discordOptions(c *carrier, page string, setup func(invite, code string)) discord.Options {
	o := discordSettings(a.Config)
	engine := a.engine(c)
	o.Bus = bus.NewClient(c.bus, "discord").WithBlobs(func(ctx context.Context, session, sha256 string) (io.ReadCloser, error) {
		blob, _, err := engine.Blob(ctx, session, sha256)
		return blob, err
	})
	o.Page, o.Setup, o.Logger = page, setup, a.log
	o.Project = cmp.Or(o.Project, a.folder())
	return o
}

// discordSettings are the settings of the surface in Discord.
func discordSettings(c *config.Config) discord.Options {
	cfg := c.Discord
	channels := map[string]record.Binding{}
	for id, ch := range cfg.Channels {
		b := record.Binding{Project: ch.Project, Persona: ch.Persona, Mode: routing.Mode(ch.Mode), Deciders: ch.Deciders}
		b.Mode = cmp.Or(b.Mode, routing.Mention)
		channels[id] = b
	}
	return discord.Options{
		Token: c.Keys.Discord.Reveal(), API: cfg.API, Dir: filepath.Join(c.Paths.StateDir, "discord"),
		Guilds: cfg.Guilds, Users: cfg.Users, Channels: channels, Project: c.Project,
		Debounce: cfg.Debounce, Merge: block.Policy(cfg.Merge), Questions: discord.Questions(cfg.Questions), FileBytes: cfg.MaxFileBytes,
	}
}

// renewals asks Discord for new addresses of files, in this process or over the bus.
type renewals func(ctx context.Context, id string) (string, error)

// Renew implements [links.Renewer].
func (r renewals) Renew(ctx context.Context, id string) (string, error) {
	address, err := r(ctx, id)
	if reason, gone := discord.Gone(err); gone {
		return "", &links.GoneError{Reason: "Discord has the file no more: " + reason, Err: err}
	}
	if f := fault.From(err); fault.Is(err, fault.NotFound) {
		return "", &links.GoneError{Reason: "Discord has the file no more: " + f.Message, Err: err}
	}
	return address, err
}
