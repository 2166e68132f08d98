package cli

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/validate"
)

func newProjectValidate(c *console) *cobra.Command {
	var form findingsForm
	cmd := &cobra.Command{
		Use:   "validate [DIR]",
		Short: "Hold a project against the specification",
		Long: `Look at the folders of a project, and at every file that its deliverables have, and
list how they differ from the specification: errors break what it demands, warnings
are differences that readers cope with. Each names the file, the line and the next
step; docs/findings.md explains the codes. The exit code is 1 where there is an
error. Nothing is changed.`,
		Example: "  belay project validate\n  belay project validate ~/projects/bridge --all\n  belay project validate bridge --sarif > findings.sarif",
		Args:    cobra.MaximumNArgs(1),
	}
	form.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, root, err := c.project(cmd, args)
		if err != nil {
			return err
		}
		defer app.Hasten()()
		report, err := validated(cmd, cfg, root)
		if err != nil {
			return err
		}
		if err := c.printFindings(form, report, validate.AllRules(), report.Findings, func() { c.printReport(report, form.all) }); err != nil {
			return err
		}
		return verdict(report.Findings)
	}
	return cmd
}

// validated is the report on a project as it is now.
func validated(cmd *cobra.Command, cfg *config.Config, root string) (*validate.Report, error) {
	o := app.ScanOptions(cfg)
	o.Visited = true
	r, err := scan.Scan(cmd.Context(), root, o)
	if err != nil {
		return nil, err
	}
	return validate.Project(cmd.Context(), root, r, app.ValidateOptions(cfg, time.Now()))
}

// shownOfKind is how many findings of one kind are listed.
const shownOfKind = 3

func (c *console) printReport(r *validate.Report, all bool) {
	most := shownOfKind
	if all {
		most = len(r.Findings)
	}
	c.printKinds(r.Findings, most)
	s := r.Summary
	c.note("looked at", count(s.Packages, "package", "packages")+", "+count(s.Deliverables, "deliverable", "deliverables")+", "+count(s.Files, "file", "files"))
	if s.Truncated {
		c.warn("the project is larger than what is looked at (workspace.max_folders, workspace.max_depth)")
	}
	switch {
	case len(r.Findings) == 0:
		c.note("valid", "nothing was found")
	case r.Valid:
		c.note("valid", "no error, "+count(s.Warnings, "warning", "warnings"))
	default:
		c.note("not valid", count(s.Errors, "error", "errors")+", "+count(s.Warnings, "warning", "warnings"))
	}
}

// printKinds lists findings kind by kind, errors first, at most so many of each.
// What is the same for all of a kind is said once.
func (c *console) printKinds(all []finding.Finding, most int) {
	of := map[string][]finding.Finding{}
	for _, f := range all {
		of[f.Code] = append(of[f.Code], f)
	}
	for i, t := range finding.Tallies(all) {
		if i > 0 {
			c.write("\n")
		}
		kind := of[t.Code]
		head := string(t.Severity) + " " + line(t.Code)
		if t.Count > 1 {
			head += " × " + strconv.Itoa(t.Count)
		}
		if n := files(kind); n > 1 && n < t.Count {
			head += " in " + strconv.Itoa(n) + " files"
		}
		c.write(head + "\n")
		fix := commonFix(kind)
		for _, f := range kind[:min(most, len(kind))] {
			c.write("  " + hang(clean(place(f)+f.Message), c.width, 4) + "\n")
			if fix == "" && f.Fix != "" {
				c.write("    " + hang("fix: "+clean(f.Fix), c.width, 4) + "\n")
			}
		}
		if more := len(kind) - most; more > 0 {
			c.write("  and " + strconv.Itoa(more) + " more; --all lists them\n")
		}
		if fix != "" {
			c.write("  " + hang("fix: "+clean(fix), c.width, 2) + "\n")
		}
	}
}

// files is how many files findings are about.
func files(all []finding.Finding) int {
	seen := map[string]bool{}
	for _, f := range all {
		seen[f.Path] = true
	}
	return len(seen)
}

// commonFix is the next step of all findings, "" where they have several.
func commonFix(all []finding.Finding) string {
	for _, f := range all {
		if f.Fix != all[0].Fix {
			return ""
		}
	}
	return all[0].Fix
}

// place is where a finding is, as a prefix of what it says.
func place(f finding.Finding) string {
	at := f.Path
	if f.Line > 0 {
		at += ":" + strconv.Itoa(f.Line)
	}
	if at == "" {
		return ""
	}
	if f.Row > 0 && f.Column != "" {
		at += " (row " + strconv.Itoa(f.Row) + ", " + f.Column + ")"
	}
	return line(at) + ": "
}
