package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/event"
	"belay/internal/render"
	"belay/internal/turn"
)

func newUsage(c *console) *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Sum up tokens and cost by day, project and model",
		Long: `Sum up the usage of all turns of this user by UTC day, project and model, from the
transcripts. Costs are list prices, or those of the configuration; a model without a price
has none. What subagents used counts for the model of their turn. The model workflow stands
for tasks of workflows that call a tool and no model.`,
		Example: "  belay usage\n  belay usage --since 7d\n  belay usage --since 2026-03-01 --json",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&since, "since", "", "count from this `DAY` (YYYY-MM-DD), or from this long ago (7d, 12h)")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		from, err := sinceWhen(since, time.Now())
		if err != nil {
			return err
		}
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error {
			rows, err := a.Engine.Usage(ctx, from)
			if err != nil {
				return err
			}
			if _, err := readSessions(ctx, c, a, true); err != nil { // it says which are left out
				return err
			}
			return answer(c, map[string]any{"usage": rows}, func() { printUsage(c, rows) })
		})
	}
	return cmd
}

// sinceWhen reads a day or a time span before now; "" is the beginning.
func sinceWhen(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day, nil
	}
	if ago, err := config.ParseDuration(s); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, failed(ExitUsage, "write a day like 2026-03-01, or a time span like 7d",
		fmt.Errorf("--since %q is neither a day nor a time span", s))
}

func printUsage(c *console, rows []turn.UsageRow) {
	t := &table{heads: []string{"DAY", "PROJECT", "MODEL", "TURNS", "IN", "OUT", "CACHED", "US$"}}
	for _, r := range rows {
		t.add(r.Day, r.ProjectRoot, render.Model(r.Model), strconv.Itoa(r.Turns),
			grouped(r.InputTokens+r.CacheWriteTokens), grouped(r.OutputTokens), grouped(r.CacheReadTokens), costOf(r.Tokens))
	}
	c.print(t, "no turn was taken")
}

func costOf(t event.Tokens) string {
	if t.CostUSD == nil {
		return "-"
	}
	return strconv.FormatFloat(*t.CostUSD, 'f', 4, 64)
}
