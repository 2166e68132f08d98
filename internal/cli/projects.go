package cli

import (
	"context"
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

func printProjects(c *console, all []overview.Project) {
	t := &table{heads: []string{"PROJECT", "USED", "SESSIONS", "QUESTIONS", "FOLDER"}}
	for _, p := range all {
		used := ""
		if !p.UsedAt.IsZero() {
			used = when(p.UsedAt)
		}
		folder := line(p.Path)
		if !p.Exists {
			folder += " (gone, or not mounted)"
		}
		t.add(line(p.Name), used, strconv.Itoa(p.Sessions), strconv.Itoa(p.OpenQuestions), folder)
	}
	c.print(t, "no projects yet; a first turn in a folder makes one")
}
