package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/plainjson"
	"belay/internal/quantity"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/register"
	"belay/internal/workspace/registerlint"
	"belay/internal/workspace/scan"
)

func newDepsLint(c *console) *cobra.Command {
	var form findingsForm
	var strict bool
	cmd := &cobra.Command{
		Use:   "lint [FILE]",
		Short: "Check the dependency registers of a project, or one register",
		Long: `Check every Dependencies.csv of the working deliverables, or one file. The rules of the
original's linter decide each file's status, and the exit code is 1 if a file fails.
Further checks, such as targets that do not exist and numbers in _DEPENDENCIES.md, are
marked as extra and fail only with --strict.

The list groups similar findings and ends with the commands for most of them.
--json gives each finding with file, row and column; --sarif is for code hosts and
editors. --deliverable, --package and --code select findings, also for the exit code.`,
		Example: "  belay deps lint\n  belay deps lint --package PKG-03 --code INVALID_DATE\n  belay deps lint --strict --json --project ~/projects/bridge\n  belay deps lint Dependencies.csv",
		Args:    cobra.MaximumNArgs(1),
	}
	projectFlag(cmd)
	form.flags(c, cmd)
	cmd.Flags().BoolVar(&strict, "strict", false, "also fail on errors beyond the original's rules")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		o := registerlint.Options{Today: time.Now().UTC().Format(time.DateOnly), Digest: form.digest(c)}
		if o.Only, err = form.only(register.Rules()); err != nil {
			return err
		}
		part, err := form.window(c, cmd)
		if err != nil {
			return err
		}
		app.CollectLess()
		report, root, err := lintNamed(cmd, c, cfg, args, o)
		switch {
		case err != nil:
			return err
		case c.json:
			report.Files = slices.DeleteFunc(report.Files, func(registerlint.FileReport) bool { return !part.takes() })
			err = plainjson.WriteIndent(c.out, struct {
				*registerlint.Report
				rest
			}{report, part.rest()})
		case form.sarif:
			var all []finding.Finding
			for _, f := range report.Files {
				all = append(all, f.Findings...)
			}
			err = plainjson.WriteIndent(c.out, finding.NewSARIF(Version(), register.Rules(), all))
		default:
			printRegisters(c, report, o.Digest)
			if root != "" {
				printDoFirst(c, cmd, o.Digest, report.Only, root)
			}
		}
		if err == nil && !report.OK(strict) {
			err = ended(ExitFailed)
		}
		return err
	}
	return cmd
}

// lintNamed judges the project or the file that an argument names. Root is the
// project, "" for a file.
func lintNamed(cmd *cobra.Command, c *console, cfg *config.Config, args []string, o registerlint.Options) (report *registerlint.Report, root string, err error) {
	if len(args) == 1 {
		report, err := lintFile(args[0], o)
		return report, "", err
	}
	if root, err = settledRoot(cmd.Context(), c, cfg); err != nil {
		return nil, "", err
	}
	found, err := scan.Scan(cmd.Context(), root, scan.Options{})
	if err != nil {
		return nil, "", err
	}
	report, err = registerlint.Lint(cmd.Context(), root, found, o)
	return report, root, err
}

// lintFile judges one register, whatever project it lies in.
func lintFile(path string, o registerlint.Options) (*registerlint.Report, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failed(ExitNotFound, "name a register, or a project with --project", fmt.Errorf("%s does not exist", path))
	case err == nil && info.IsDir():
		return nil, usageHint("name the project with --project "+finding.Word(path), "%s is a folder, and no register", path)
	case o.Only.ByPlace():
		return nil, usage("--deliverable and --package are about a project, and %s is a file", path)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, usage("%s: %v", path, err)
	}
	data, _, err := durable.ReadFile(nil, full, register.MaxBytes)
	return registerlint.LintFile(filepath.ToSlash(path), filepath.Base(filepath.Dir(full)), data, err, o), nil
}

// printRegisters prints what was counted, the findings beyond the original's rules
// apart, and the totals.
func printRegisters(c *console, r *registerlint.Report, d *finding.Digest) {
	extra := d.Groups(register.Rules())
	own := slices.DeleteFunc(slices.Clone(extra), func(g *finding.Group) bool { return g.Extra })
	extra = slices.DeleteFunc(extra, func(g *finding.Group) bool { return !g.Extra })
	printGroups(c, own, d.Packages())
	if len(extra) > 0 {
		if len(own) > 0 {
			c.write("\n")
		}
		c.write("Beyond the original's rules:\n\n")
		printGroups(c, extra, d.Packages())
	}
	t := r.Summary
	if t.FilesScanned == 0 {
		c.note("total", "no registers")
		return
	}
	text := fmt.Sprintf("%s: %d pass, %d fail", quantity.Count(t.FilesScanned, "register", "registers"), t.PassFiles, t.FailFiles)
	if t.ErrorFiles > 0 {
		text += fmt.Sprintf(", %d could not be read", t.ErrorFiles)
	}
	c.note("total", text+"; "+quantity.Count(t.TotalErrors, "error", "errors")+", "+quantity.Count(t.TotalWarnings, "warning", "warnings"))
	if t.ExtraErrors+t.ExtraWarnings > 0 {
		c.note("extra", quantity.Count(t.ExtraErrors, "error", "errors")+", "+quantity.Count(t.ExtraWarnings, "warning", "warnings"))
	}
}
