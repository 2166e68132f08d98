package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/bus"
)

func newBus(c *console) *cobra.Command {
	return group("bus", "Watch the event bus of the running server",
		"  belay bus tail\n  belay bus tail --since 1h --json",
		newBusTail(c),
	)
}

func newBusTail(c *console) *cobra.Command {
	var (
		o     bus.TailOptions
		since string
	)
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Show messages of the event bus as they come",
		Long: `Show the messages on the event bus of the running server, until it is interrupted: what
surfaces ask for, what they get, the questions and their answers, and evidence of
messages that could not be dealt with. docs/bus.md lists them. Requests and questions
to the server are shown only as they come. Each line has the time, the name of the
message, its request, and the beginning of its content. The content is what people
and agents wrote. With --json each message is a line of JSON.`,
		Example: "  belay bus tail\n  belay bus tail --session sess_2f4c8e0a\n  belay bus tail --since 1h --json | jq -r .type",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&since, "since", "", "begin with this `DAY` (YYYY-MM-DD), or so long ago (7d, 12h)")
	cmd.Flags().StringVar(&o.Session, "session", "", "only messages of the session `ID`, or the beginning of one")
	cmd.Flags().StringVar(&o.Request, "request", "", "only messages of the request `ID`")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if since != "" {
			if o.Since, err = sinceWhen(since, time.Now()); err != nil {
				return err
			}
		}
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		ctx := cmd.Context()
		b, err := app.AttachBus(ctx, cfg)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.Close(context.WithoutCancel(ctx))) }()
		c.note("watching", "the event bus of the running server; turns of terminals, of the page and of HTTP are not on it")
		for t, err := range b.Tail(ctx, o) {
			if err != nil {
				return err
			}
			if err := printTraffic(c, t); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// printTraffic prints a message of the bus.
func printTraffic(c *console, t bus.Traffic) error {
	if c.json {
		data, err := json.Marshal(t)
		if err != nil {
			return err
		}
		c.write(string(data) + "\n")
		return c.out.failure()
	}
	words := []string{t.Time.Local().Format("15:04:05.000"), line(t.Type)}
	switch {
	case t.Request != "":
		words = append(words, line(t.Request))
	case t.Session != "":
		words = append(words, line(t.Session))
	}
	text := strings.Join(words, "  ")
	content := line(string(t.Payload))
	if t.Problem != "" {
		text += "  problem: " + line(t.Problem)
	} else if content != "{}" {
		text += "  " + content
	}
	c.write(c.clipped(text, 0) + "\n")
	return c.out.failure()
}
