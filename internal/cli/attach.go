package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
	"belay/internal/turn"
)

func newAttach(c *console) *cobra.Command {
	return group("attach", "Check files before they are sent", "  belay attach inspect plan.pdf site.png", newAttachInspect(c))
}

func newAttachInspect(c *console) *cobra.Command {
	var model string
	cmd := &cobra.Command{
		Use:   "inspect PATH|URL|GLOB...",
		Short: "Show how a model would get these files, without sending them",
		Long: `Show whether a turn would accept each file, and if not, why. Show its type, which belay
reads from the bytes, and how the model would get it: unchanged, smaller, as text, or as
a note. Limits apply to all files together, in the order given, as in a turn. belay
expands a pattern that the shell did not, such as 'drawings/**/*.png'.

Files at addresses are fetched and checked under the limits and rules of workflows. Every
setting of attachments has a flag here: attachments.max_items is --attachments-max-items.

The exit code is 1 if one of them would be refused.`,
		Example: "  belay attach inspect plan.pdf site.png\n  belay attach inspect https://example.com/plan.pdf 'drawings/**/*.png'\n  belay attach inspect --model claude-sonnet-5 --json *.csv",
		Args:    cobra.MinimumNArgs(1),
	}
	setting(cmd, "provider", "provider", "plan for the models of `NAME`: scripted, anthropic or openai")
	attachmentFlags(cmd)
	cmd.Flags().StringVar(&model, "model", "", "plan for the model `NAME` (default: the configured one)")
	jsonFlag(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, args []string) error {
		found, err := inspectAll(ctx, a, args, model)
		if err != nil {
			return err
		}
		if c.json {
			if err := c.writeJSON(map[string]any{"attachments": orEmpty(found)}); err != nil {
				return err
			}
		} else {
			printInspections(c, found)
		}
		if w := turn.ModelWarning(a.Engine, model); model != "" && w != "" {
			c.warn(w)
		}
		for _, i := range found {
			if !i.OK {
				return ended(ExitFailed)
			}
		}
		return nil
	})
	return cmd
}

func printInspections(c *console, found []turn.Inspection) {
	t := &table{heads: []string{"FILE", "VERDICT", "TYPE", "SIZE", "TOKENS", "DELIVERED"}}
	for _, i := range found {
		name := i.Path
		if !isAddress(name) {
			name = filepath.Base(name)
		}
		if !i.OK {
			t.add(name, string(i.Code), "", "", "", i.Reason)
			continue
		}
		kind := i.MIMEType
		switch {
		case i.Width > 0:
			kind += fmt.Sprintf(" %d×%d", i.Width, i.Height)
		case i.Pages > 0:
			kind += " " + quantity.Count(i.Pages, "page", "pages")
		}
		delivered := i.Used
		if i.Note != "" {
			delivered += ": " + i.Note
		}
		t.add(name, "ok", kind, quantity.Size(i.Bytes), "≤ "+grouped(i.Tokens), delivered)
	}
	c.print(t, "no files")
}
