package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/workflow/run"
)

// asItBegan refuses flags that a run which is taken up again would not heed.
func asItBegan(cmd *cobra.Command, resume string) error {
	var errs []error
	for _, name := range []string{"input", "input-file", "model", "mode", "allow", "skip-refused"} {
		if resume != "" && cmd.Flags().Changed(name) {
			errs = append(errs, usageHint("leave it out, or begin a new run with it", "--%s does not go with --resume: the run goes on as it began", name))
		}
	}
	return errors.Join(errs...)
}

// correction asks for a run to go on with a corrected file.
func correction(f *runFlags, r run.Request, id string) run.Corrected {
	return run.Corrected{Project: r.Project, ID: id, File: f.file, OnQuestion: r.OnQuestion, Strict: true}
}

// planResumption says what a resumed run would keep and what it would do again.
func planResumption(ctx context.Context, c *console, a *app.App, f *runFlags, r run.Request) error {
	if f.file == "" {
		return failed(ExitUsage, "name the corrected file, or leave --dry-run out", errors.New("with --resume, --dry-run shows the effect of a corrected file on each finished task"))
	}
	id, err := runNamed(ctx, a.Runs, r.Project, f.resume)
	if err != nil {
		return err
	}
	kept, err := a.Runs.PlanCorrect(ctx, correction(f, r, id))
	if err != nil {
		return unused(err)
	}
	if c.json {
		return c.writeJSON(map[string]any{"runId": id, "tasks": orEmpty(kept)})
	}
	if len(kept) == 0 {
		c.fields("kept", "nothing: no task of the run is finished")
	}
	for _, k := range kept {
		label, words := keptWords(k)
		c.fields(label, words)
	}
	return nil
}
