package cli

import (
	"errors"
	"slices"
	"strings"

	"belay/internal/config"
	"belay/internal/workflow/run"
)

// runVerdict ends a run for the person: what it used, where its results are, and how
// it ended. Unasked is set where calls were refused because this command asked nobody.
// The error carries the exit code.
func runVerdict(c *console, r run.Record, cfg *config.Config, unasked bool) error {
	if !c.json && r.Usage != nil {
		c.note("used", tokens(*r.Usage))
	}
	if !c.json {
		notPermitted(c, r.Calls, unasked)
	}
	again := "go on with " + c.resumption(r, cfg, "")
	switch r.Status {
	case run.Success:
		if r.Snapshot != "" {
			c.note("published", r.Snapshot)
		}
		switch {
		case c.json:
		case c.outTerminal:
			printValues(c, r.Outputs)
		default:
			return c.writeJSON(r.Outputs)
		}
		return nil
	case run.Interrupted:
		if r.Error != nil {
			break // its end could not be recorded
		}
		return failed(ExitInterrupted, "what is finished is not done again; "+again, errors.New("the run was interrupted"))
	case run.Cancelled:
		return failed(ExitFailed, again, errors.New("the run was cancelled"))
	}
	if r.Error == nil {
		return failed(ExitFailed, again, errors.New("the run failed"))
	}
	e := r.Error.Fault()
	hint := again
	if step := stepOfRun(e); step != "" {
		hint = step + "; then " + again
	}
	hint += "; if you correct the file, name it: " + c.resumption(r, cfg, r.File)
	return failed(ExitFailed, hint, e)
}

// resumption is the command that takes a run up again, as it is typed here: by the run's own
// copy of the workflow, or with a corrected file where one is named.
func (c *console) resumption(s run.Record, cfg *config.Config, file string) string {
	command := "belay run"
	var here string
	if file == "" {
		here, _ = projectDir(cfg) // none is the run's
	} else if command += " " + quoted(file); cfg.Project == "" {
		here = run.ProjectOf(file)
	} else {
		here = cfg.Project
	}
	command += " --resume " + s.ID
	if c.projectGiven || here != s.Project {
		command += " --project " + quoted(s.Project)
	}
	if c.configFile != "" {
		command += " --config " + quoted(c.configFile)
	}
	if s.Provider != "" {
		command += " --provider " + quoted(s.Provider) // the run goes on with no other
	}
	if asksNext(s.Summary) {
		command += " --wait" // without a terminal the run would not begin
	}
	return command
}

// asksNext reports whether a run that is taken up waits for a person as long as that takes.
func asksNext(s run.Summary) bool {
	return s.Error.Unattended() || slices.ContainsFunc(s.Waits, func(w run.Waiting) bool { return w.Message != "" && w.Until == nil })
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t'\"$&;()<>|*?[]#~`\\!") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
