package cli

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/workflow/run"
)

// runFlags are the flags of belay run that are not settings.
type runFlags struct {
	inputs, allow          []string
	inputFile, model, mode string
	resume                 string
	// file is the corrected file of a run that is resumed, "" for none.
	file         string
	dryRun, wait bool
	skipRefused  bool
}

func newRun(c *console) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Annotations: map[string]string{checksFlags: "yes"},
		Use:         "run [WORKFLOW.yaml]",
		Short:       "Run a workflow file, or resume a run",
		Long: `Run a workflow file. Each task is a turn of an agent that the file describes, in a
session of its own; its output goes to the tasks after it. The project is --project, else
the nearest folder around the file that has a .belay folder or a file of a project, such as
belay.yaml, else the file's folder. A line names it if it is not the current folder. Paths
in the file are relative to the file's folder, or to the project with base: project.

The record of a run is in the project's .belay/runs. --resume continues a run that was
interrupted, failed, or lost its process; finished tasks do not run again. Pass the file
too if you corrected it: belay keeps finished tasks whose definition and input are
unchanged. --dry-run shows which ones.

Nothing begins if the command line is wrong, or if a task that will certainly run has a
refused attachment. --skip-refused starts tasks without such attachments.

Rules that the file allows still ask, unless you pass them with --allow. Without a
terminal, and with --json, calls that need a decision are refused at once; with --wait they
wait for belay decision.`,
		Example: `  belay run classify.yaml --input ref=photo.png
  belay run classify.yaml --dry-run
  belay run --resume run_0199
  belay run classify.yaml --resume run_0199`,
		Args: cobra.MaximumNArgs(1),
	}
	setting(cmd, "project", "project", "work on the project in `DIR`")
	setting(cmd, "provider", "provider", "answer with `NAME`: scripted, anthropic or openai")
	setting(cmd, "instructions", "instructions", "read personas from `DIR` instead of the embedded ones")
	attachmentFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "use the model `NAME` for all agents")
	flags.StringVar(&f.mode, "mode", "", "permission mode `MODE`: direct, dontAsk, acceptEdits or plan")
	flags.StringArrayVar(&f.inputs, "input", nil, "give the workflow `KEY=VALUE`, or KEY=@FILE for the text of a file; may be repeated")
	flags.StringVar(&f.inputFile, "input-file", "", "give the workflow the JSON object in `FILE`")
	flags.StringArrayVar(&f.allow, "allow", nil, "let calls that `RULE` covers run without asking; may be repeated")
	flags.StringVar(&f.resume, "resume", "", "take up the run `ID` again")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only show what the run would do")
	flags.BoolVar(&c.json, "json", false, "print the run's events as JSON lines, or the plan as JSON")
	waitFlag(cmd, &f.wait)
	flags.BoolVar(&f.skipRefused, "skip-refused", false, "start tasks without refused attachments, with a warning")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runWorkflow(c, cmd, args, &f) }
	return cmd
}

func runWorkflow(c *console, cmd *cobra.Command, args []string, f *runFlags) error {
	if len(args) == 0 && !cmd.Flags().Changed("resume") {
		return failed(ExitUsage, "write belay run WORKFLOW.yaml, or belay run --resume ID", errors.New("name a workflow file, or a run that is to be resumed"))
	}
	var wrong problems
	wrong.add(asItBegan(cmd, f.resume))
	wrong.add(errors.Join(notBlank(cmd), knownMode(f.mode), allowed(f.allow, "")))
	cfg := c.loadOrNote(cmd, &wrong)
	if cfg == nil {
		return wrong.err()
	}
	c.warnOfSettings(cfg)
	r := run.Request{Model: f.model, Mode: f.mode, Allow: f.allow, OnQuestion: questionPolicy(c, f.wait), Strict: !f.skipRefused, SkipRefused: f.skipRefused}
	if cmd.Flags().Changed("provider") {
		r.Provider = cfg.Provider
	}
	var err error
	r.Project, err = projectDir(cfg)
	wrong.add(err)
	if len(args) == 1 {
		paths, err := absolute(args)
		if err != nil {
			return err
		}
		if r.File = paths[0]; cfg.Project == "" {
			r.Project = run.ProjectOf(r.File)
		}
		if f.resume != "" {
			f.file, r.File = r.File, "" // the run has its input
		} else if err := readInputs(c, f, &r); err != nil {
			wrong.add(err)
			r.File = "" // without its input it cannot be looked at
		}
	}
	return c.withinOrNote(cmd, cfg, &wrong, func(ctx context.Context, a *app.App) error {
		wrong.add(knownModel(a, f.model))
		wrong.add(knownTools(ctx, a.Engine, nil, f.allow))
		if !wrong.none() && r.File != "" {
			r.Mode, r.Allow = "", nil // they are noted where they are wrong
			wrong.add(asTyped(unused(a.Runs.Check(ctx, r)), args))
		}
		if !wrong.none() {
			return wrong.err()
		}
		if f.dryRun && f.resume != "" {
			return asTyped(planResumption(ctx, c, a, f, r), args)
		}
		if f.dryRun {
			plan, err := a.Runs.Plan(ctx, r)
			if err != nil {
				return asTyped(err, args)
			}
			if c.json {
				err = c.writeJSON(plan)
			} else {
				printPlan(c, plan)
			}
			if err == nil {
				err = asTyped(unused(a.Runs.CheckOffline(ctx, r)), args)
			}
			return err
		}
		s, err := beginRun(ctx, c, a, f, r)
		if err != nil {
			return asTyped(err, args)
		}
		return watchRun(ctx, c, a, s, f, unasked(r.OnQuestion, f.mode))
	})
}

func beginRun(ctx context.Context, c *console, a *app.App, f *runFlags, r run.Request) (run.Summary, error) {
	if f.resume != "" {
		id, err := runNamed(ctx, a.Runs, r.Project, f.resume)
		if err != nil {
			return run.Summary{}, err
		}
		if f.file != "" {
			s, err := a.Runs.Correct(ctx, correction(f, r, id))
			return s, unused(err)
		}
		return a.Runs.Resume(ctx, r.Project, id, r.OnQuestion)
	}
	s, err := a.Runs.Start(ctx, r)
	return s, unused(unbegun(err))
}

// unused is the failure of a run that did not begin because of its attachments.
func unused(err error) error {
	if !fault.Is(err, fault.AttachmentFailure) {
		return err
	}
	return failed(ExitUsage, "correct them, write optional: true at those that a task can do without, or pass --skip-refused to begin without them", err)
}

// watchRun shows a run that this process works on to its end, and its outputs then.
// When ctx is done the run is stopped, and watched to its end, which is on record
// then.
func watchRun(ctx context.Context, c *console, a *app.App, s run.Summary, f *runFlags, unasked bool) error {
	stop := context.AfterFunc(ctx, func() { _ = a.Runs.Close(ctx) }) // what is left of the run is on record
	defer stop()
	c.note("run", s.ID)
	if here, err := os.Getwd(); err != nil || here != s.Project {
		c.note("project", s.Project)
	}
	life := context.WithoutCancel(ctx)
	w := watcherOf(c, a, s.Project, s.ID)
	w.resumed = f.resume != ""
	if err := w.watch(life); err != nil {
		return err
	}
	record, err := a.Runs.Show(life, s.Project, s.ID)
	if err != nil {
		return err
	}
	return runVerdict(c, record, a.Config, unasked)
}
