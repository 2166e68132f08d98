package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/durable"
	"belay/internal/session"
)

func newSessionImport(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE | DIR | -",
		Short: "Take a session over from an export or a copied folder",
		Long: `Take a session over into a project: from an archive that belay session export wrote,
from stdin, or from a session folder that was copied. Everything in it is checked
first. The session keeps its id, or gets a new one where that is taken.`,
		Example: "  belay session import talk.tar.gz\n  belay session import ~/copy/.belay/sessions/sess_2f4c8e0a --project ~/projects/bridge",
		Args:    cobra.ExactArgs(1),
	}
	setting(cmd, "project", "project", "into the project in `DIR` (default: the current folder)")
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.rooms(cmd, func(ctx context.Context, a *app.App) error {
			project, err := projectDir(a.Config)
			if err != nil {
				return err
			}
			rec, err := c.adopt(ctx, a, args[0], project)
			if err != nil {
				return err
			}
			if asJSON {
				return c.writeJSON(map[string]any{"session": rec})
			}
			c.write(rec.SessionID + "\n")
			return nil
		})
	}
	return cmd
}

// adopt imports whatever the argument names.
func (c *console) adopt(ctx context.Context, a *app.App, from, project string) (session.Record, error) {
	if from == "-" {
		return a.Store.Import(ctx, c.in, project)
	}
	info, err := os.Stat(from)
	if err != nil {
		return session.Record{}, failed(ExitNotFound, "check the path of the export", err)
	}
	if info.IsDir() {
		return a.Store.ImportDir(ctx, from, project)
	}
	f, _, err := durable.OpenRegular(nil, from) // a pipe would be waited for
	if err != nil {
		return session.Record{}, failed(ExitNotFound, "check that the export is readable", err)
	}
	defer f.Close() // it was only read
	return a.Store.Import(ctx, f, project)
}
