package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/render"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

func newChanges(c *console) *cobra.Command {
	g := group("changes", "Show, apply or drop kept changes of commands",
		"  belay changes list\n  belay changes show chg_4f2a8c\n  belay changes keep chg_4f2a8c --only docs\n  belay changes drop chg_4f2a8c",
		newChangesList(c), newChangesShow(c), newChangesKeep(c), newChangesDrop(c),
	)
	g.Long = `Apply or drop kept changes. A change that a command made becomes real when it is
allowed. It is kept in .belay/changes of the project if nobody answered in time, nobody
could be asked, or another program changed the same files.

The project is --project, else the nearest folder above this one with a .belay folder,
else this folder. Name a change by its id or any unique prefix of at least
six characters.`
	return g
}

// changesFlags say where the changes are.
type changesFlags struct{ server string }

func (f *changesFlags) add(cmd *cobra.Command) {
	setting(cmd, "project", "project", "the changes are of the project in `DIR`")
	setting(cmd, "token-file", "token_file", "with --server: send the bearer token in `FILE`")
	cmd.Flags().StringVar(&f.server, "server", "", "ask the server at `URL`")
}

// inChanges runs a command about the kept changes of a project, here or on a server.
func inChanges(c *console, cmd *cobra.Command, f *changesFlags, do func(ctx context.Context, e turn.Engine, project string) error) error {
	cfg, err := c.load(cmd)
	if err != nil {
		return err
	}
	if f.server == "" {
		if cmd.Flags().Changed("token-file") {
			return usageHint("name the server that is to answer", "--token-file goes with --server")
		}
		project, err := projectDir(cfg)
		if err != nil {
			return err
		}
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error { return do(ctx, a.Engine, project) })
	}
	project := cmd.Flag("project").Value.String()
	if local(f.server) {
		project, err = projectDir(cfg)
	} else if project == "" {
		err = usageHint("name it with --project", "the project folder on the server is not known")
	}
	if err != nil {
		return err
	}
	e, err := c.dial(cfg, f.server)
	if err != nil {
		return err
	}
	defer e.Close()
	return do(cmd.Context(), e, project)
}

func newChangesList(c *console) *cobra.Command {
	var f changesFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the kept changes of a project, oldest first",
		Example: "  belay changes list\n  belay changes list --project ~/projects/bridge --json | jq -r '.changes[].id'",
		Args:    cobra.NoArgs,
	}
	f.add(cmd)
	part := listFlags(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return inChanges(c, cmd, &f, func(ctx context.Context, e turn.Engine, project string) error {
			all, err := e.Kept(ctx, project)
			if err != nil {
				return err
			}
			all, left, err := pageOf(part, all, func(k changes.KeptChange) string { return k.ID })
			if err != nil {
				return err
			}
			if c.json {
				return c.writeJSON(struct {
					ProjectRoot string               `json:"projectRoot"`
					Changes     []changes.KeptChange `json:"changes"`
					rest
				}{project, orEmpty(all), left})
			}
			defer left.tell(c)
			t := &table{heads: []string{"CHANGE", "MADE", "FILES", "STATE", "COMMAND"}}
			short := shortener(c, idsOf(all, func(k changes.KeptChange) string { return k.ID }))
			for _, k := range all {
				made, files, does := "", "", ""
				if k.Effect != nil {
					made, files, does = when(k.Created), strconv.Itoa(k.Effect.Done.Files), line(k.Effect.Summary)
				}
				t.add(short(k.ID), made, files, keptState(k), does)
			}
			c.print(t, "no changes are kept")
			return nil
		})
	}
	return cmd
}

// keptState is what is in the way of a change, in a word, and whether other programs run
// some of it by themselves.
func keptState(k changes.KeptChange) string {
	state := keptWord(k)
	if k.Effect != nil && len(k.Effect.Automatic) > 0 {
		state += ", runs by itself"
	}
	return state
}

func keptWord(k changes.KeptChange) string {
	switch {
	case k.Problem != "":
		return "damaged"
	case k.DecisionID != "":
		return "asked"
	case len(k.Conflicts) > 0:
		return "conflict"
	}
	return "kept"
}

func newChangesShow(c *console) *cobra.Command {
	var f changesFlags
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a kept change as a diff against the project",
		Long: `Show the command, why its changes were kept, the files, the diff against their present
content, the files that another program has changed since the command began, and the last
output of the command.`,
		Example: "  belay changes show chg_4f2a8c",
		Args:    needsChange,
	}
	f.add(cmd)
	jsonFlag(c, cmd)
	cmd.RunE = changeCommand(c, &f, func(ctx context.Context, e turn.Engine, project, id string) error {
		k, err := e.KeptChange(ctx, project, id)
		if err != nil {
			return err
		}
		return answer(c, map[string]any{"change": k}, func() { printKept(c, k) })
	})
	return cmd
}

// printKept prints a kept change on stdout, nothing in it unseen.
func printKept(c *console, k changes.KeptChange) {
	pairs := []string{"change", k.ID}
	diff := ""
	if e := k.Effect; e != nil {
		paths := render.Files(*e)
		files := strings.Join(paths[:min(len(paths), shownMatches)], ", ")
		if more := e.Done.Files - len(e.Repositories) - shownMatches; more > 0 {
			files += " and " + strconv.Itoa(more) + " more"
		}
		pairs = append(pairs, "made", when(k.Created), "session", k.SessionID, "turn", k.TurnID, "command", e.Command, "wrote", wrote(*e),
			"files", files, "git", strings.Join(render.GitLines(*e), "\n"), "caution", cautions(*e))
		diff = e.Diff
	}
	pairs = append(pairs, "because", k.Why, "conflicts", strings.Join(k.Conflicts[:min(len(k.Conflicts), shownMatches)], ", "), "problem", k.Problem, "next", nextOfKept(k))
	for i := range pairs {
		pairs[i] = render.Visible(pairs[i])
	}
	c.fields(pairs...)
	if diff != "" {
		c.write("\n")
		c.printDiff(diff, 0, "")
	}
}
