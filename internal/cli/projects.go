package cli

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/overview"
)

func newProjects(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "projects",
		Short: "List the projects that belay has worked in",
		Long: `List the projects with sessions of yours, the last used first: how many sessions each has,
and how many questions wait for an answer.`,
		Example: "  belay projects\n  belay projects --json | jq -r '.projects[].path'",
		Args:    cobra.NoArgs,
	}
	cmd.AddCommand(newProjectsForget(c))
	part := listFlags(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, _ []string) error {
		v := a.Overview()
		defer v.Close()
		all, err := v.Projects(ctx)
		if err != nil {
			return err
		}
		all, left, err := pageOf(part, all, func(p overview.Project) string { return p.Path })
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(struct {
				Projects []overview.Project `json:"projects"`
				rest
			}{orEmpty(all), left})
		}
		printProjects(c, all)
		left.tell(c)
		return nil
	})
	return cmd
}

func newProjectsForget(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "forget FOLDER",
		Short: "Take a project without records out of the list",
		Long: `Take a project out of the list of projects, such as one whose folder is gone. Nothing in the
folder changes, and a turn in it makes it known again. A project with a folder .belay stays:
delete its sessions with belay session delete, and remove that folder.`,
		Example: "  belay projects forget ~/old",
		Args:    cobra.ExactArgs(1),
	}
	jsonFlag(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, args []string) error {
		folder, err := filepath.Abs(args[0])
		if err == nil {
			err = a.Store.Catalog().ForgetProject(ctx, folder)
		}
		if err != nil {
			return err
		}
		return answer(c, map[string]any{"forgotten": folder}, func() { c.note("forgotten", folder) })
	})
	return cmd
}

func printProjects(c *console, all []overview.Project) {
	t := &table{heads: []string{"PROJECT", "USED", "SESSIONS", "QUESTIONS", "FOLDER"}}
	for _, p := range all {
		used := ""
		if !p.UsedAt.IsZero() {
			used = when(p.UsedAt)
		}
		folder := line(p.Path)
		switch {
		case !p.Exists:
			folder += " (gone, or not mounted)"
		case p.Problem != "":
			folder += " (" + line(p.Problem) + ")"
		}
		t.add(line(p.Name), used, strconv.Itoa(p.Sessions), strconv.Itoa(p.OpenQuestions), folder)
	}
	c.print(t, "no projects yet; a first turn in a folder makes one")
}
