package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
	"belay/internal/workflow/run"
)

func newRuns(c *console) *cobra.Command {
	g := group("runs", "List, show, answer and stop the runs of workflows",
		"  belay runs list\n  belay runs show run_0199c2 --follow\n  belay runs cancel run_0199c2",
		newRunsList(c), newRunsShow(c), newRunsCancel(c),
		newRunsAnswer(c, "continue", run.AnswerContinue, "Let a run go on that waits for a person"),
		newRunsAnswer(c, "refuse", run.AnswerRefuse, "Refuse what a run waits for, so that its task fails"),
	)
	g.Long = `List, show, answer and stop the runs of a project's workflows, whichever process works on
them. The project is --project, else the execution root that encloses the current
folder, else that folder. Name a run by its id or any unique prefix of at least
eight characters.`
	return g
}

// inRuns is withApp for a command about the runs of a project.
func inRuns(c *console, cmd *cobra.Command, do func(ctx context.Context, a *app.App, project string) error) error {
	return c.withApp(cmd, func(ctx context.Context, a *app.App) error {
		project, err := projectDir(a.Config)
		if err != nil {
			return err
		}
		return do(ctx, a, project)
	})
}

// runCommand is what a command runs about the run that it names: it gets the run's whole id.
func runCommand(c *console, do func(ctx context.Context, a *app.App, project, id string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return inRuns(c, cmd, func(ctx context.Context, a *app.App, project string) error {
			id, err := runNamed(ctx, a.Runs, project, args[0])
			if err != nil {
				return err
			}
			return do(ctx, a, project, id)
		})
	}
}

// minRun is how much of a run's id is enough to name it.
const minRun = len("run_") + 4

// runNamed returns the id of the run of a project that a person named.
func runNamed(ctx context.Context, r *run.Runner, project, named string) (string, error) {
	all, _, err := r.List(ctx, project, 0)
	if err != nil {
		return "", err
	}
	return resolveID(all, func(s run.Summary) string { return s.ID }, named, minRun, "run")
}

func newRunsList(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the runs of a project, newest first",
		Example: "  belay runs list\n  belay runs list --project ~/projects/bridge --json | jq -r '.runs[].id'",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "list the runs of the project in `DIR`")
	part := listFlags(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return inRuns(c, cmd, func(ctx context.Context, a *app.App, project string) error {
			all, _, err := a.Runs.List(ctx, project, 0)
			if err != nil {
				return err
			}
			all, left, err := pageOf(part, all, func(s run.Summary) string { return s.ID })
			if err != nil {
				return err
			}
			open := allQuestions(ctx, a)
			for i := range all {
				if all[i].EndedAt == nil { // its record has what it used when it was taken up last
					if r, err := a.Runs.Show(ctx, project, all[i].ID); err == nil {
						all[i].Usage, all[i].Calls = r.Usage, r.Calls
						if r.Live && !c.json {
							all[i].Waits = append(all[i].Waits, tasksThatAsk(open, r.Tasks)...)
						}
					}
				}
			}
			if c.json {
				return c.writeJSON(struct {
					ProjectRoot string        `json:"projectRoot"`
					Runs        []run.Summary `json:"runs"`
					rest
				}{project, orEmpty(all), left})
			}
			printRuns(c, all, time.Now())
			left.tell(c)
			return nil
		})
	}
	return cmd
}

func printRuns(c *console, all []run.Summary, now time.Time) {
	t := &table{heads: []string{"RUN", "STARTED", "STATE", "TIME", "TOKENS", "WORKFLOW"}}
	short := shortener(c, idsOf(all, func(s run.Summary) string { return s.ID }))
	for _, s := range all {
		used := ""
		if s.Usage != nil {
			used = grouped(s.Usage.InputTokens + s.Usage.OutputTokens)
		}
		var words []string
		if s.Workflow != "" { // else its record cannot be read
			words = append(words, line(s.Workflow))
		}
		if s.Error != nil && s.Status == run.Failed {
			words = append(words, reasonOf(s.Error))
		}
		if len(s.Waits) > 0 {
			words = append(words, line(s.Waits[0].Task)+" waits")
		}
		t.add(short(s.ID), when(s.StartedAt), waitingState(s.Status, len(s.Waits) > 0), took(s, now), used, strings.Join(words, ": "))
	}
	c.print(t, "no runs")
}

// took is how long a run went on, if known.
func took(s run.Summary, now time.Time) string {
	switch {
	case s.EndedAt != nil:
		return quantity.Duration(s.Worked(now))
	case s.Live:
		return quantity.Duration(s.Worked(now).Truncate(time.Second))
	}
	return ""
}

func newRunsCancel(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cancel RUN",
		Short: "Stop a run, whichever process works on it",
		Long: `Stop a run, whichever process works on it, and wait for its end. Running tasks stop at
once. belay run --resume continues the run.`,
		Example: "  belay runs cancel run_0199c2",
		Args:    needsRun,
	}
	setting(cmd, "project", "project", "the run is of the project in `DIR`")
	jsonFlag(c, cmd)
	cmd.RunE = runCommand(c, func(ctx context.Context, a *app.App, project, id string) error {
		waiting, stop := context.WithTimeout(ctx, cancelPatience)
		defer stop()
		waits, _ := a.Runs.Waits(ctx, id) // they are gone with the run; none is only less advice
		err := a.Runs.Cancel(waiting, project, id)
		if err != nil && waiting.Err() != nil && ctx.Err() == nil {
			return failed(ExitTimedOut, "look at it with belay runs show "+id, errors.New("the run was asked to stop, and has not yet"))
		}
		if err != nil {
			return err
		}
		s, err := a.Runs.Show(ctx, project, id)
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(map[string]any{"runId": id, "status": s.Status})
		}
		c.note(cmp.Or(runState(s.Status), "stopped"), id)
		if s.Waits = waits; s.Status == run.Cancelled {
			c.note("go on", c.resumption(s, a.Config, ""))
		}
		return nil
	})
	return cmd
}

// cancelPatience is how long the end of a cancelled run is waited for.
const cancelPatience = time.Minute

// tokensOf is what a run or a task used, for people.
func tokensOf(t *run.Task) string {
	if t.Usage == nil {
		return ""
	}
	return grouped(t.Usage.InputTokens + t.Usage.OutputTokens)
}
