package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"belay/internal/app"
)

func newDiscord(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "discord",
		Short: "Answer in Discord beside a running server",
		Long: `Answer in Discord until Ctrl-C or SIGTERM, in a process of its own. The work is done by the
belay serve of the same user, over its event bus; start that with bus.enabled: on, and give
the bot's token to this command alone. Either process can be restarted: what is said
meanwhile is answered afterwards.

Most people need no such process: belay serve with the token answers in Discord by itself.
docs/discord.md says how to set up a bot.`,
		Example: `  BELAY_BUS_ENABLED=on belay serve
  BELAY_DISCORD_TOKEN=... belay discord`,
		Args: cobra.NoArgs,
	}
	setting(cmd, "project", "project", "the project `DIR` that /link connects channels to")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		c.warnOfSettings(cfg)
		log := slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: slog.LevelInfo}))
		return c.within(cmd, cfg, log, func(ctx context.Context, a *app.App) error { return a.Discord(ctx, channelSetup(c)) })
	}
	return cmd
}

// channelSetup says how a channel of Discord is connected.
func channelSetup(c *console) func(invite, code string) {
	return func(invite, code string) {
		c.note("discord", "invite the bot: "+invite)
		c.note("discord", "connect a channel: write /link "+code+" in it (the code works once)")
	}
}
