package cli

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
	"belay/internal/workspace/scaffold"
)

func newProjectInit(c *console) *cobra.Command {
	var (
		r      scaffold.Request
		dryRun bool
	)
	cmd := &cobra.Command{
		Use:   "init DIR --decomposition FILE",
		Short: "Create an execution root from a decomposition",
		Long: `Create a project from a decomposition: the folders of the project and of each package,
and for each deliverable the files of state OPEN. Existing files stay as they are, so you
can repeat the command after an interruption or with an edited decomposition.

A decomposition is a Markdown document. Its packages have headings such as
"### PKG-01 — Name" or rows in a table with the columns PackageID and Name. Its
deliverables have rows in tables with the columns DeliverableID and Name, and
optionally PackageID, Discipline, Type, ResponsibleParty, Description,
AcceptanceCriteria, AnticipatedArtifacts, CoversScopeItems and SupportsObjectives;
or headings such as "#### DEL-01-02_Name" with lines "**Type:** ..." below them. A
deliverable belongs to the package that it names, else to the one of its number.

The command lists contradictions in the document, and folders that differ from it. The
exit code is 1 if one of these is an error.`,
		Example: "  belay project init bridge --decomposition bridge.md\n  belay project init bridge --decomposition bridge.md --name \"Mill bridge\" --coordination HYBRID\n" +
			"  belay project init bridge --decomposition bridge.md --dry-run",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&r.DecompositionPath, "decomposition", "", "the decomposition is `FILE`")
	cmd.Flags().StringVar(&r.ProjectName, "name", "", "call the project `NAME` (default: the document's title)")
	cmd.Flags().StringVar(&r.CoordinationMode, "coordination", "", "order work by `MODE`: "+strings.Join(scaffold.Modes(), ", ")+" (default: DEPENDENCY_TRACKED)")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be made")
	setting(cmd, "instructions", "instructions", "refuse a project inside the instruction root `DIR`")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if r.DecompositionPath == "" {
			return usage("--decomposition is required")
		}
		paths, err := absolute([]string{args[0], r.DecompositionPath})
		if err != nil {
			return err
		}
		r.ExecutionRoot, r.DecompositionPath = paths[0], paths[1]
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		if dryRun {
			return showScaffold(c, r, app.ScaffoldOptions(cfg))
		}
		res, err := scaffold.Run(cmd.Context(), r, app.ScaffoldOptions(cfg))
		if err != nil {
			return err
		}
		if c.json {
			err = c.writeJSON(res)
		} else {
			printScaffold(c, res)
		}
		if err != nil {
			return err
		}
		if r.CoordinationMode != "" && !strings.EqualFold(r.CoordinationMode, res.CoordinationMode) {
			c.warn("the coordination stays " + line(res.CoordinationMode) + "; belay project coordination --set changes it")
		}
		if name := strings.TrimSpace(r.ProjectName); name != "" && name != res.ProjectName {
			c.warn("the name stays " + line(res.ProjectName) + ", as INIT.md has it")
		}
		return verdict(res.Findings)
	}
	return cmd
}

// showScaffold shows what a run would make.
func showScaffold(c *console, r scaffold.Request, o scaffold.Options) error {
	p, err := scaffold.Preview(r, o)
	if err != nil {
		return err
	}
	v := p.Outline()
	if c.json {
		if err := c.writeJSON(v); err != nil {
			return err
		}
		return verdict(v.Findings)
	}
	for _, name := range v.Folders {
		c.write("folder  " + line(name) + "\n")
	}
	for _, name := range v.Files {
		c.write("file    " + line(name) + "\n")
	}
	if v.Replaces != "" {
		c.note("replaces", line(v.Replaces)+", which goes to the archive")
	}
	c.note("would make", quantity.Count(len(v.Folders), "folder", "folders")+" and "+quantity.Count(len(v.Files), "file", "files")+" in "+v.ExecutionRoot)
	if v.More > 0 {
		c.note("besides", strconv.Itoa(v.More)+" that are not shown")
	}
	printKinds(c, v.Findings)
	return verdict(v.Findings)
}

func printScaffold(c *console, r scaffold.Result) {
	made := "nothing: all of it was there"
	if n, m := len(r.Created.Directories), len(r.Created.Files); n+m > 0 {
		made = quantity.Count(n, "folder", "folders") + ", " + quantity.Count(m, "file", "files")
	}
	rel := func(path string) string {
		if path == "" {
			return ""
		}
		if rel, err := filepath.Rel(r.ExecutionRoot, path); err == nil {
			return filepath.ToSlash(rel)
		}
		return path
	}
	c.fields("root", r.ExecutionRoot, "project", r.ProjectName, "coordination", r.CoordinationMode,
		"decomposition", rel(r.CopiedDecompositionPath), "archived", rel(r.ArchivedDecompositionPath),
		"packages", strconv.Itoa(r.PackageCount), "deliverables", strconv.Itoa(r.DeliverableCount), "made", made)
	if len(r.Findings) > 0 {
		c.write("\n")
	}
	printKinds(c, r.Findings)
	for _, d := range r.PreparationCompatibility.Deliverables {
		for _, issue := range d.Issues {
			c.warn(rel(d.Path) + ": " + issue)
		}
	}
}
