package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
	"belay/internal/workspace/scan"
)

func newProjectList(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the deliverables of a project with their states",
		Long: `List the working deliverables of a project: the folders PKG-*/1_Working/DEL-*, each with
the state in its _STATUS.md. --json adds packages, tool roots, knowledge types, and the
copies that are archived, in review or issued.`,
		Example: "  belay project list\n  belay project list --project ~/projects/bridge --json",
		Args:    cobra.NoArgs,
	}
	projectFlag(cmd)
	part := listFlags(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, root, err := c.project(cmd)
		if err != nil {
			return err
		}
		app.CollectLess()
		r, err := scan.Scan(cmd.Context(), root, scan.Options{})
		if err != nil {
			return err
		}
		if c.json {
			l := r.Listing(root, time.Now())
			var left rest
			if l.Deliverables, left, err = pageOf(part, l.Deliverables, func(d scan.ListedDeliverable) string { return d.Path }); err != nil {
				return err
			}
			return c.writeJSON(struct {
				*scan.Listing
				rest
			}{l, left})
		}
		shown, left, err := pageOf(part, r.Deliverables, func(f *scan.Folder) string { return f.Path })
		if err != nil {
			return err
		}
		printDeliverables(c, r, shown)
		left.tell(c)
		return nil
	}
	return cmd
}

// printDeliverables prints those that are shown, and counts all.
func printDeliverables(c *console, r *scan.Result, shown []*scan.Folder) {
	t := &table{heads: []string{"DELIVERABLE", "STATE", "PACKAGE", "NAME"}}
	for _, f := range shown {
		state := f.Status
		if f.Recorded != "" {
			state += " (" + clip(line(f.Recorded), maxState) + ")"
		}
		pkg, _, _ := strings.Cut(f.Package, "_")
		t.add(f.ID, state, pkg, f.Name)
	}
	c.print(t, "no deliverables")
	c.note("total", quantity.Count(len(r.Deliverables), "deliverable", "deliverables")+" in "+quantity.Count(len(r.Packages), "package", "packages")+byState(r))
	if n := len(r.Copies); n > 0 {
		c.note("copies", strconv.Itoa(n)+" archived, in review, issued or astray; --json lists them")
	}
	if r.Truncated {
		c.warn("the project is larger than what is looked at; the list is not whole")
	}
	if n := len(r.Findings); n > 0 {
		c.warn(quantity.Count(n, "finding", "findings") + " about the layout; belay project validate lists them")
	}
}

// maxState is how much is shown of a state that the specification does not have,
// in columns.
const maxState = 30

// byState counts the deliverables of each state, in the order of their lives.
func byState(r *scan.Result) string {
	counts := map[string]int{}
	for _, f := range r.Deliverables {
		counts[f.Status]++
	}
	var all []string
	for _, state := range scan.States() {
		if n := counts[state]; n > 0 {
			all = append(all, strconv.Itoa(n)+" "+state)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, ", ")
}
