package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"belay/internal/workspace/finding"
)

// findingsForm is how a command that looks for findings shows them, and which.
type findingsForm struct {
	sarif, all                    bool
	deliverables, packages, codes []string
	part                          paging
}

func (f *findingsForm) flags(c *console, cmd *cobra.Command) {
	c.jsonFlag(cmd)
	cmd.Flags().BoolVar(&f.sarif, "sarif", false, "print SARIF 2.1.0 on stdout, for editors and code hosts")
	cmd.Flags().BoolVar(&f.all, "all", false, "list every finding, not only the first ones of each kind")
	cmd.Flags().StringSliceVar(&f.deliverables, "deliverable", nil, "only findings about this deliverable, by `ID`; several with commas")
	cmd.Flags().StringSliceVar(&f.packages, "package", nil, "only findings about this package and what lies in it, by `ID`; several with commas")
	cmd.Flags().StringSliceVar(&f.codes, "code", nil, "only findings of this `CODE`; several with commas")
	f.part.flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("json", "sarif", "all")
}

// window is the part of the list that --json prints. For people the list is grouped.
func (f *findingsForm) window(c *console, cmd *cobra.Command) (*window, error) {
	for _, name := range []string{"limit", "cursor"} {
		if !c.json && cmd.Flags().Changed(name) {
			return nil, usageHint("add --json, or select with --deliverable, --package and --code", "--%s needs --json: other forms of the list are grouped", name)
		}
	}
	return f.part.window()
}

// only is what the flags select, of findings by rules.
func (f *findingsForm) only(rules []finding.Rule) (*finding.Filter, error) {
	only, err := finding.NewFilter(f.deliverables, f.packages, f.codes, rules)
	if err != nil {
		return nil, asUsage(err)
	}
	return only, nil
}

// digest counts findings for people; nil where they are printed for programs.
func (f *findingsForm) digest(c *console) *finding.Digest {
	switch {
	case c.json, f.sarif:
		return nil
	case f.all:
		return finding.NewDigest(0)
	}
	return finding.NewDigest(shownOfKind)
}

// log is the form of code hosts, which takes findings as they are found; nil where that is
// not asked for.
func (f *findingsForm) log(rules []finding.Rule) *finding.SARIF {
	if !f.sarif {
		return nil
	}
	return finding.NewSARIF(Version(), rules)
}

// writeLog prints the form of code hosts.
func (c *console) writeLog(log *finding.SARIF) error {
	if err := log.Write(c.out); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return nil
}

// verdict is the end of a command that looked for findings.
func verdict(all []finding.Finding) error {
	errors, _ := finding.Count(all)
	return verdictOf(errors)
}

func verdictOf(errors int) error {
	if errors > 0 {
		return ended(ExitFailed)
	}
	return nil
}
