package cli

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"belay/internal/quantity"
	"belay/internal/workspace/finding"
)

// findingsForm is how a command that looks for findings shows them, and which.
type findingsForm struct {
	sarif, all                    bool
	deliverables, packages, codes []string
	part                          paging
}

func (f *findingsForm) flags(c *console, cmd *cobra.Command) {
	jsonFlag(c, cmd)
	cmd.Flags().BoolVar(&f.sarif, "sarif", false, "print SARIF 2.1.0 on stdout, for editors and code hosts")
	cmd.Flags().BoolVar(&f.all, "all", false, "list every finding, not only the first ones of each kind")
	cmd.Flags().StringArrayVar(&f.deliverables, "deliverable", nil, "only findings about this `DELIVERABLE`; several with commas")
	cmd.Flags().StringArrayVar(&f.packages, "package", nil, "only findings about this `PACKAGE` and what lies in it; several with commas")
	cmd.Flags().StringArrayVar(&f.codes, "code", nil, "only findings of this `CODE`; several with commas")
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

// shownOfKind is how many findings of one kind are listed.
const shownOfKind = 3

// printKinds lists findings kind by kind, each whole.
func printKinds(c *console, all []finding.Finding) {
	d := finding.NewDigest(0)
	d.Add(all)
	printGroups(c, d.Groups(nil), d.Packages())
}

// printGroups lists findings group by group, the first ones of each. What is the same
// for all of a group is said once. Packages is how many packages have findings.
func printGroups(c *console, groups []*finding.Group, packages int) {
	for i, g := range groups {
		if i > 0 {
			c.write("\n")
		}
		c.write(hang(groupHead(g, packages), c.width, 2) + "\n")
		for _, f := range g.Shown {
			c.write("  " + hang(clean(place(f)+f.Message), c.width, 4) + "\n")
			if g.Fix == "" && f.Fix != "" {
				c.write("    " + hang("fix: "+clean(f.Fix), c.width, 4) + "\n")
			}
		}
		if more := g.Count - len(g.Shown); more > 0 {
			how := "--all lists them"
			if len(g.Shown) != shownOfKind { // that is what --all lists
				how = "--deliverable, --package and --code select them"
			}
			c.write("  and " + strconv.Itoa(more) + " more; " + how + "\n")
		}
		if g.Fix != "" {
			c.write("  " + hang("fix: "+clean(g.Fix), c.width, 2) + "\n")
		}
	}
}

// groupHead says how many findings a group has, and whether most of them are in one
// package: a mistake in one place, or a habit in all.
func groupHead(g *finding.Group, packages int) string {
	head := string(g.Severity) + " " + line(g.Code)
	if g.Count == 1 {
		return head
	}
	head += " × " + strconv.Itoa(g.Count)
	if g.Files > 1 && g.Files < g.Count {
		head += " in " + strconv.Itoa(g.Files) + " files"
	}
	if packages < 2 {
		return head
	}
	for pkg, n := range g.Packages {
		switch {
		case pkg == "":
		case n == g.Count:
			return head + ", all in " + pkg
		case 2*n > g.Count:
			return fmt.Sprintf("%s, %d of them in %s", head, n, pkg)
		}
	}
	return head
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

// maxDoFirst bounds the commands under "do first".
const maxDoFirst = 4

// printDoFirst ends a list of findings with the commands for most of them, and how many each is
// for. Root is the project, which is named as the person named it to this command.
func printDoFirst(c *console, cmd *cobra.Command, d *finding.Digest, only *finding.Filter, root string) {
	all, counts := d.Remedies()
	if len(all) == 0 {
		return
	}
	errors, warnings := d.Count()
	named, deliverable, part := cmd.Flag("project"), "", only.ByPlace()
	if part && len(only.Deliverables) == 1 && len(only.Packages) == 0 {
		deliverable = only.Deliverables[0]
	}
	if named.Changed {
		root = named.Value.String()
	} else if here, err := filepath.Abs("."); err == nil && here == root {
		root = "."
	}
	c.write("\ndo first:\n")
	for _, r := range all[:min(len(all), maxDoFirst)] {
		reach := ""
		if part && (r.Command != "deps summary" || deliverable == "") {
			reach = "in the whole project; "
		}
		text := fmt.Sprintf("%s (%sfor %d of %s)", r.Line(root, !named.Changed, deliverable), reach, counts[r], quantity.Count(errors+warnings, "finding", "findings"))
		c.write("  " + hang(clean(text), c.width, 4) + "\n")
	}
}
