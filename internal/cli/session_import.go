package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/workspace"
)

func newSessionImport(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE | DIR | -",
		Short: "Import a session from an archive or a copied folder",
		Long: `Import a session into a project: from an archive of belay session export, from stdin, or
from a copied session folder. belay checks everything in it first, and warns of what is
missing or cannot be read. The session keeps its id if that is free, else it gets a new
one. The command prints the id on stdout.`,
		Example: "  belay session import talk.tar.gz\n  belay session import ~/copy/.belay/sessions/sess_2f4c8e0a --project ~/projects/bridge",
		Args:    cobra.ExactArgs(1),
	}
	setting(cmd, "project", "project", "into the project in `DIR` (default: the one that encloses the current folder)")
	jsonFlag(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, args []string) error {
		project, err := projectDir(a.Config)
		if err != nil {
			return err
		}
		if project, err = workspace.CheckRoot(project, a.Root.Path(), app.PrivateFolders(a.Config)...); err != nil {
			return err
		}
		rec, err := adoptSession(ctx, c, a, args[0], project)
		if err != nil {
			return err
		}
		warnMissing(c, rec)
		if c.json {
			return c.writeJSON(map[string]any{"session": rec.Record, "from": rec.From})
		}
		if rec.From != rec.SessionID {
			c.warn(fmt.Sprintf("there is a session %s already; this one is now %s", rec.From, rec.SessionID))
		}
		c.write(rec.SessionID + "\n")
		return nil
	})
	return cmd
}

// warnMissing warns of what an imported session lacks.
func warnMissing(c *console, in session.Imported) {
	for _, sha := range in.Lacks {
		c.warn("the attachment " + sha + " did not come with the session; models get a note in its place")
	}
	for _, p := range in.Problems {
		c.warn(p.File + ": " + p.Text)
	}
}

// adoptSession imports whatever the argument names.
func adoptSession(ctx context.Context, c *console, a *app.App, from, project string) (session.Imported, error) {
	if from == "-" {
		return a.Store.Archive.Import(ctx, c.in, project)
	}
	info, err := os.Stat(from)
	if err != nil {
		return session.Imported{}, noExport(from, err)
	}
	if info.IsDir() {
		rec, err := a.Store.Archive.ImportDir(ctx, from, project)
		return rec, notImported(from, err)
	}
	f, _, err := durable.OpenRegular(nil, from) // a pipe would be waited for
	if err != nil {
		return session.Imported{}, noExport(from, err)
	}
	defer f.Close() // it was only read
	rec, err := a.Store.Archive.Import(ctx, f, project)
	return rec, notImported(from, err)
}

// notImported names what was refused.
func notImported(from string, err error) error {
	if err == nil {
		return nil
	}
	if f := (*fault.Error)(nil); errors.As(err, &f) && f.Type == fault.InvalidRequest {
		named := *f
		named.Message = fmt.Sprintf("%s: %s", from, f.Message)
		return &named
	}
	return err
}

// noExport says why nothing can be imported from a path.
func noExport(from string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed(ExitNotFound, "check the path; belay session export writes such a file", fmt.Errorf("there is no file or folder %s", from))
	case errors.Is(err, durable.ErrNotRegular):
		return failed(ExitUsage, "to read from a pipe, give - and redirect stdin", fmt.Errorf("%s is not a regular file", from))
	case errors.Is(err, fs.ErrPermission):
		return failed(ExitUsage, "check its permissions", fmt.Errorf("%s is not readable for you", from))
	}
	return failed(ExitFailed, "check the path and the disk", fmt.Errorf("%s cannot be read: %w", from, err))
}
