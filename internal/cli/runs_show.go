package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/render"
	"belay/internal/workflow/run"
)

// runsShowFlags are the flags of belay runs show.
type runsShowFlags struct {
	task         string
	follow, json bool
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
	cmd.Flags().BoolVar(&f.json, "json", false, "print the record as JSON, or with --follow the events as JSON lines")
	cmd.MarkFlagsMutuallyExclusive("task", "follow")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return inRun(c, cmd, args[0], func(ctx context.Context, a *app.App, project, id string) error {
			switch {
			case f.follow:
				return followRun(ctx, c, a, project, id, f.json)
			case f.task != "":
				t, err := a.Runs.Task(ctx, project, id, f.task)
				if err != nil {
					return err
				}
				if f.json {
					return c.writeJSON(map[string]any{"task": t})
				}
				printTask(c, &t)
				return nil
			}
			r, err := a.Runs.Show(ctx, project, id)
			if err != nil {
				return err
			}
			if f.json {
				return c.writeJSON(map[string]any{"run": r})
			}
			printRun(c, r, c.resumption(r.Summary, a.Config, ""), time.Now())
			return nil
		})
	}
	return cmd
}

// followRun shows a run of any process to its end.
func followRun(ctx context.Context, c *console, a *app.App, project, id string, asJSON bool) error {
	c.note("run", id)
	if err := watcherOf(c, a, project, id, asJSON).watch(ctx); err != nil {
		if ctx.Err() != nil {
			return failed(ExitInterrupted, "stop it with belay runs cancel "+id, errors.New("no longer followed; the run goes on"))
		}
		return err
	}
	r, err := a.Runs.Show(ctx, project, id)
	if err != nil {
		return err
	}
	return runVerdict(c, r, a.Config, asJSON, false)
}

// printRun prints a run for people.
func printRun(c *console, r run.Record, resume string, now time.Time) {
	state := runState(r.Status)
	if r.Status == run.Interrupted {
		state += "; nobody works on it now"
	}
	used, failure, inputs := "", "", []string{}
	if r.Usage != nil {
		used = tokens(*r.Usage)
	}
	if r.Error != nil {
		failure = fmt.Sprintf("%s (%s)", r.Error.Message, r.Error.Type)
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
		printTasks(c, r.Tasks, now)
	}
	if len(r.Outputs) > 0 {
		c.write("\n")
		printValues(c, r.Outputs)
	}
}

// printTasks prints the tasks that have begun, those within others below them.
func printTasks(c *console, all []run.Task, now time.Time) {
	all, more := foldTasks(all)
	t := &table{heads: []string{"TASK", "STATE", "TIME", "TOKENS", "SESSION", "WHAT"}, elastic: 6}
	for i := range all {
		task := &all[i]
		session := ""
		if n := len(task.Attempts); n > 0 {
			session = task.Attempts[n-1].Session
			if c.width > 0 {
				session = session[:min(len(session), minShown)]
			}
		}
		t.add(task.Key, runState(task.Status), taskTook(task, now), tokensOf(task), session, whatOf(task))
	}
	c.print(t, "")
	if more > 0 {
		c.write("and " + count(more, "more task", "more tasks") + " of large collections, which are done (--json has all)\n")
	}
}

// foldTasks leaves out what is done of large collections, but for the first ones.
func foldTasks(all []run.Task) (shown []run.Task, more int) {
	large := map[string]int{}
	for i := range all {
		if t := &all[i]; t.Kind == "collection" && t.Of > largeCollection {
			large[t.Key] = 0
		}
	}
	for i := range all {
		t := &all[i]
		if key := holderOf(t.Key, large); key != "" && t.Status == run.Success {
			if large[key]++; large[key] > shownTenths {
				more++
				continue
			}
		}
		shown = append(shown, *t)
	}
	return shown, more
}

// holderOf is the large collection that a task is in, "" for none.
func holderOf(key string, large map[string]int) string {
	for i := strings.LastIndexByte(key, '/'); i > 0; i = strings.LastIndexByte(key[:i], '/') {
		if _, ok := large[key[:i]]; ok {
			return key[:i]
		}
	}
	return ""
}

func taskTook(t *run.Task, now time.Time) string {
	switch {
	case t.EndedAt != nil:
		return lasted(t.EndedAt.Sub(t.StartedAt))
	case t.Status == run.Running:
		return lasted(now.Sub(t.StartedAt).Truncate(time.Second))
	}
	return ""
}

// whatOf is a task in a few words: why it failed, where it went, who did it.
func whatOf(t *run.Task) string {
	var parts []string
	if t.Item != nil {
		parts = append(parts, brief(t.Item))
	}
	switch {
	case t.Error != nil:
		parts = append(parts, reasonOf(t.Error))
	case t.Route != "":
		parts = append(parts, "→ "+t.Route)
	case t.Agent != "" && t.Action != "":
		parts = append(parts, t.Agent+"/"+t.Action)
	case t.Agent != "":
		parts = append(parts, t.Agent)
	default:
		parts = append(parts, string(t.Kind))
	}
	if n := len(t.Attachments); n > 0 {
		parts = append(parts, count(n, "file", "files"))
	}
	if n := len(t.Attempts); n > 1 {
		parts = append(parts, fmt.Sprintf("%d attempts", n))
	}
	return strings.Join(parts, ", ")
}

// printTask prints all of one task for people.
func printTask(c *console, t *run.Task) {
	failure, item := "", ""
	if t.Error != nil {
		failure = fmt.Sprintf("%s (%s)", t.Error.Message, t.Error.Type)
	}
	if t.Item != nil {
		item = brief(t.Item)
	}
	c.fields(
		"task", t.Key, "kind", string(t.Kind), "state", runState(t.Status), "started", when(t.StartedAt),
		"time", taskTook(t, time.Now()), "tokens", tokensOf(t), "agent", t.Agent, "action", t.Action, "model", render.Model(t.Model),
		"item", item, "route", t.Route, "error", failure,
	)
	for i, a := range t.Attempts {
		words := a.Session
		if a.Repaired {
			words += ", asked once more for the wanted form"
		}
		if a.Error != nil {
			words += ": " + reasonOf(a.Error)
		}
		c.fields(fmt.Sprintf("try %d", i+1), words)
	}
	for _, r := range t.Attachments {
		label := "shown"
		if r.Refused != "" {
			label = "refused"
		}
		c.fields(label, reported(r))
		for _, w := range r.Warnings {
			c.fields("warning", line(r.Name)+": "+line(w))
		}
	}
	c.section("input", t.Input)
	c.section("prompt", t.Prompt)
	c.section("output", t.Output)
}

// section prints a value under its name, nothing for an empty one.
func (c *console) section(name string, v any) {
	if m, ok := v.(map[string]any); v == nil || v == "" || ok && len(m) == 0 {
		return
	}
	c.write("\n── " + name + "\n")
	c.outline(readable(v))
}
