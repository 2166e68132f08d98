package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/render"
	"belay/internal/workflow/run"
)

// runsShowFlags are the flags of belay runs show.
type runsShowFlags struct {
	task   string
	follow bool
}

func newRunsShow(c *console) *cobra.Command {
	var f runsShowFlags
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run and its tasks, or follow it to its end",
		Long: `Show a run: its inputs, its tasks with their sessions, and its outputs. --task shows one
task in full: its prompt, its attachments and their use, its attempts and its answer.
--follow shows the run from its beginning to its end, as belay run does, and exits with the
run's code. Ctrl-C ends the output, not the run.`,
		Example: "  belay runs show run_0199c2\n  belay runs show run_0199c2 --task each/3/summarize\n  belay runs show run_0199c2 --follow",
		Args:    needsRun,
	}
	setting(cmd, "project", "project", "the run is of the project in `DIR`")
	cmd.Flags().StringVar(&f.task, "task", "", "show all of the task `KEY`, such as read or each/3/summarize")
	cmd.Flags().BoolVar(&f.follow, "follow", false, "show what happens in the run until its end")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the record as JSON, or with --follow the events as JSON lines")
	cmd.MarkFlagsMutuallyExclusive("task", "follow")
	cmd.RunE = runCommand(c, func(ctx context.Context, a *app.App, project, id string) error {
		switch {
		case f.follow:
			return followRun(ctx, c, a, project, id)
		case f.task != "":
			t, err := a.Runs.Task(ctx, project, id, f.task)
			if err != nil {
				return err
			}
			return answer(c, map[string]any{"task": t}, func() { printTask(c, &t) })
		}
		r, err := a.Runs.Show(ctx, project, id)
		if err != nil {
			return err
		}
		return answer(c, map[string]any{"run": r}, func() {
			resume := c.resumption(r, a.Config, "")
			r.Waits = append(r.Waits, tasksThatAsk(allQuestions(ctx, a), r.Tasks)...)
			printRun(c, r, resume, time.Now())
		})
	})
	return cmd
}

// followRun shows a run of any process to its end.
func followRun(ctx context.Context, c *console, a *app.App, project, id string) error {
	c.note("run", id)
	if err := watcherOf(c, a, project, id).watch(ctx); err != nil {
		if ctx.Err() != nil {
			return failed(ExitInterrupted, "stop it with belay runs cancel "+id, errors.New("no longer followed; the run goes on"))
		}
		return err
	}
	r, err := a.Runs.Show(ctx, project, id)
	if err != nil {
		return err
	}
	return runVerdict(c, r, a.Config, false)
}

// printRun prints a run for people.
func printRun(c *console, r run.Record, resume string, now time.Time) {
	state := waitingState(r.Status, len(r.Waits) > 0)
	if r.Status == run.Interrupted {
		state += "; nobody works on it now"
	}
	used, failure, inputs := "", "", []string{}
	if r.Usage != nil {
		used = tokens(*r.Usage)
	}
	if r.Error != nil {
		failure = withCode(r.Error.Message, r.Error.Type)
	}
	for _, name := range keys(r.Input) {
		inputs = append(inputs, line(name)+"="+brief(r.Input[name]))
	}
	if r.Live || r.Status == run.Success {
		resume = ""
	}
	workflow := line(r.Workflow)
	if r.Version != "" {
		workflow += ", version " + line(r.Version)
	}
	facts := []string{
		"run", r.ID, "workflow", workflow, "file", r.File, "project", r.Project, "state", state,
		"started", when(r.StartedAt), "time", took(r.Summary, now), "used", used, "calls", r.Calls.String(),
		"model", render.Model(r.Model), "allowed", strings.Join(r.Allow, ", "), "input", strings.Join(inputs, ", "),
		"published", r.Snapshot, "error", failure, "go on with", resume,
	}
	for _, w := range r.Waits {
		words := line(w.Task)
		if w.Message != "" {
			words += ": " + line(w.Message)
		}
		if w.Until != nil {
			words += ", until " + when(*w.Until)
		}
		facts = append(facts, "waits", words)
	}
	c.fields(facts...)
	if len(r.Tasks) > 0 {
		c.write("\n")
		printTasks(c, r.Tasks, r.Waits, now)
	}
	if len(r.Outputs) > 0 {
		c.write("\n")
		printValues(c, r.Outputs)
	}
}

// section prints a value under its name, nothing for an empty one.
func (c *console) section(name string, v any) {
	if m, ok := v.(map[string]any); v == nil || v == "" || ok && len(m) == 0 {
		return
	}
	c.write("\n── " + name + "\n")
	c.outline(readable(v))
}
