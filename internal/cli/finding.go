package cli

import (
	"github.com/spf13/cobra"

	"belay/internal/workspace/finding"
)

// findingsForm is how a command that looks for findings tells of them.
type findingsForm struct{ json, sarif, all bool }

func (f *findingsForm) flags(cmd *cobra.Command) {
	jsonFlag(cmd, &f.json)
	cmd.Flags().BoolVar(&f.sarif, "sarif", false, "print SARIF 2.1.0 on stdout, for editors and code hosts")
	cmd.Flags().BoolVar(&f.all, "all", false, "list every finding, not only the first ones of each kind")
	cmd.MarkFlagsMutuallyExclusive("json", "sarif", "all")
}

// printFindings prints a report with its findings in the form that was asked for;
// print is for people.
func (c *console) printFindings(form findingsForm, report any, rules []finding.Rule, all []finding.Finding, print func()) error {
	switch {
	case form.json:
		return c.writeJSON(report)
	case form.sarif:
		return c.writeJSON(finding.InSARIF(Version(), rules, all))
	}
	print()
	return nil
}

// verdict is the end of a command that looked for findings.
func verdict(all []finding.Finding) error {
	if errors, _ := finding.Count(all); errors > 0 {
		return ended(ExitFailed)
	}
	return nil
}
