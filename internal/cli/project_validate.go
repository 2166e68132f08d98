package cli

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/plainjson"
	"belay/internal/quantity"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/validate"
)

func newProjectValidate(c *console) *cobra.Command {
	var form findingsForm
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check a project against the specification",
		Long: `Check the folders of a project, and every file of its deliverables, against the
specification. An error breaks a demand; a warning is a difference that readers cope with.
Each finding names the file, the line and the next step; docs/findings.md explains the
codes. The exit code is 1 if there is an error. Nothing is changed.

The list groups similar findings, begins with those about the whole project, and ends with
the commands for most of them. --deliverable, --package and --code select
findings, also for the exit code.`,
		Example: "  belay project validate\n  belay project validate --project ~/projects/bridge --all\n  belay project validate --package PKG-03 --code STATUS_ACTOR\n  belay project validate --sarif > findings.sarif",
		Args:    cobra.NoArgs,
	}
	projectFlag(cmd)
	form.flags(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, root, err := c.project(cmd)
		if err != nil {
			return err
		}
		o := validateOptions()
		if o.Only, err = form.only(validate.AllRules()); err != nil {
			return err
		}
		o.Digest = form.digest(c)
		part, err := form.window(c, cmd)
		if err != nil {
			return err
		}
		app.CollectLess()
		report, err := validated(cmd, cfg, root, o)
		switch {
		case err != nil:
		case c.json:
			report.Findings = slices.DeleteFunc(report.Findings, func(finding.Finding) bool { return !part.takes() })
			err = plainjson.WriteIndent(c.out, struct {
				*validate.Report
				rest
			}{report, part.rest()})
		case form.sarif:
			err = plainjson.WriteIndent(c.out, finding.NewSARIF(Version(), validate.AllRules(), report.Findings))
		default:
			printReport(c, report, o.Digest)
			printDoFirst(c, cmd, o.Digest, report.Only, root)
		}
		if err != nil {
			return err
		}
		return verdictOf(report.Summary.Errors)
	}
	return cmd
}

// validateOptions are those of a report that knows which day it is.
func validateOptions() validate.Options {
	return validate.Options{Today: time.Now().UTC().Format(time.DateOnly)}
}

// validated is the report on a project as it is now.
func validated(cmd *cobra.Command, cfg *config.Config, root string, o validate.Options) (*validate.Report, error) {
	r, err := scan.Scan(cmd.Context(), root, scan.Options{Visited: true})
	if err != nil {
		return nil, err
	}
	return validate.Project(cmd.Context(), root, r, o)
}

// printReport prints what was counted, and how the project is.
func printReport(c *console, r *validate.Report, d *finding.Digest) {
	printGroups(c, d.Groups(validate.AllRules()), d.Packages())
	s := r.Summary
	if r.Only != nil {
		c.note("looked at", quantity.Count(s.Files, "file", "files"))
		c.note("selected", quantity.Count(s.Errors, "error", "errors")+", "+quantity.Count(s.Warnings, "warning", "warnings")+"; nothing is said of the rest")
		return
	}
	c.note("looked at", quantity.Count(s.Packages, "package", "packages")+", "+quantity.Count(s.Deliverables, "deliverable", "deliverables")+", "+quantity.Count(s.Files, "file", "files"))
	if s.Truncated {
		c.warn("the project is larger than what is looked at")
	}
	switch {
	case s.Errors+s.Warnings == 0:
		c.note("valid", "nothing was found")
	case r.Valid:
		c.note("valid", "no error, "+quantity.Count(s.Warnings, "warning", "warnings"))
	default:
		c.note("not valid", quantity.Count(s.Errors, "error", "errors")+", "+quantity.Count(s.Warnings, "warning", "warnings"))
	}
}
