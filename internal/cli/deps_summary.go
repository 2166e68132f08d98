package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/quantity"
	filetool "belay/internal/tool/files"
	"belay/internal/workspace"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/registerfile"
	"belay/internal/workspace/scan"
)

// summaries is the answer of the command as JSON.
type summaries struct {
	ProjectRoot string `json:"projectRoot"`
	// Written is set where the changes were made, and not only shown; Change is then
	// what belay undo takes.
	Written bool   `json:"written"`
	Change  string `json:"change,omitempty"`
	// Changes are the summaries that differ from their registers.
	Changes []summaryChange `json:"changes"`
	// Failed are those that could not be made.
	Failed []summaryFailure `json:"failed"`
	// Disagree are the deliverables whose summary says something wrong of the register in
	// lines that are not belay's.
	Disagree []string `json:"disagree"`
	// read is how many registers with a summary there are; asked is set where they were to be written.
	read  int
	asked bool
}

type summaryChange struct {
	fileChange
	seen registerfile.Seen
}

type summaryFailure struct {
	Deliverable string `json:"deliverable"`
	Problem     string `json:"problem"`
	err         error
}

func newDepsSummary(c *console) *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use:   "summary [DELIVERABLE]",
		Short: "Update the summaries of registers",
		Long: `Update _DEPENDENCIES.md from Dependencies.csv. belay replaces only the parts that it owns:
the six labelled lines and the tables of rows in the section Extracted Dependency
Register, and the counts of the Lifecycle Summary. Declarations of people, notes, history
and other text in these sections stay. What a replaced table says of a row and the register
does not stays as a list below the heading Remarks.

Without DELIVERABLE the command looks at all deliverables and skips those that agree with their
register. With one it also rewrites a correct summary in belay's own form, which belay
then updates by itself. Without --write the command only shows the diff. belay undo
reverts all that --write has written.`,
		Example: "  belay deps summary\n  belay deps summary DEL-01-02 --write\n  belay deps summary --json",
		Args:    cobra.MaximumNArgs(1),
	}
	projectFlag(cmd)
	jsonFlag(c, cmd)
	cmd.Flags().BoolVar(&write, "write", false, "write it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		registers, err := app.OpenRegisters(cfg)
		if err != nil {
			return err
		}
		done, err := summarize(cmd.Context(), c, cfg, registers.Files, args)
		if err != nil {
			return err
		}
		if !c.json {
			for _, s := range done.Changes {
				c.printPatch(s.Diff)
			}
		}
		if write {
			err = writeSummaries(cmd.Context(), c, registers.Files, &done)
		}
		if c.json {
			err = errors.Join(err, c.writeJSON(done))
		} else {
			noteSummaries(c, done)
		}
		if n := len(done.Failed); err == nil && n > 0 {
			err = done.Failed[0].err // with its next step
			if n > 1 {
				err = failed(ExitFailed, "the warnings say why", fmt.Errorf("%s could not be made", quantity.Count(n, "summary", "summaries")))
			}
		}
		return err
	}
	return cmd
}

// summarize looks at the summaries that are named.
func summarize(ctx context.Context, c *console, cfg *config.Config, files *registerfile.Files, args []string) (done summaries, err error) {
	root, err := settledRoot(ctx, c, cfg)
	if err != nil {
		return done, err
	}
	done = summaries{ProjectRoot: root, Changes: []summaryChange{}, Failed: []summaryFailure{}, Disagree: []string{}}
	var folders []workspace.Deliverable
	if len(args) == 1 {
		folders = make([]workspace.Deliverable, 1)
		folders[0], err = deliverableNamed(ctx, root, args[0])
	} else {
		folders, err = withRegisters(ctx, c, root, &done)
	}
	if err != nil {
		return done, err
	}
	done.read = len(folders)
	for _, d := range folders {
		s, agrees, err := files.Summary(ctx, d, len(args) == 1)
		if err == nil && !agrees {
			done.Disagree = append(done.Disagree, d.Rel)
		}
		switch {
		case ctx.Err() != nil:
			return done, ctx.Err()
		case err != nil && len(args) == 1:
			return done, err
		case err != nil:
			summaryFailed(c, &done, d, err)
		case s.Changes():
			done.Changes = append(done.Changes, summaryChange{fileChange{s.Path, filetool.Compare(s.Path, s.Before, s.After)}, registerfile.Seen{Deliverable: d, File: s}})
		}
	}
	return done, nil
}

func summaryFailed(c *console, done *summaries, d workspace.Deliverable, err error) {
	problem := clean(fault.From(err).Message)
	c.warn(line(d.Rel) + ": " + problem)
	done.Failed = append(done.Failed, summaryFailure{d.Rel, problem, err})
}

// writeSummaries writes what was shown. Those that are another by now are left alone.
func writeSummaries(ctx context.Context, c *console, files *registerfile.Files, done *summaries) error {
	var seen []registerfile.Seen
	for _, s := range done.Changes {
		seen = append(seen, s.seen)
	}
	change, refused, err := files.WriteSummaries(ctx, c.person(), seen)
	made := []summaryChange{}
	for i, s := range done.Changes {
		switch {
		case refused[i] != nil:
			summaryFailed(c, done, s.seen.Deliverable, refused[i])
		case err == nil:
			made = append(made, s)
		}
	}
	done.asked = len(done.Changes) > 0
	done.Written, done.Changes, done.Change = len(made) > 0, made, change
	return err
}

func noteSummaries(c *console, done summaries) {
	what := quantity.Count(len(done.Changes), "summary", "summaries")
	if n := len(done.Disagree); n > 0 {
		defer c.note("left", quantity.Count(n, "summary disagrees", "summaries disagree")+" in lines that are not belay's; belay deps lint names them")
	}
	switch {
	case done.read == 0 && len(done.Failed) == 0:
		c.note("nothing", "to do: the project has no register with a summary")
	case len(done.Changes) == 0 && done.asked:
		c.note("nothing", "was written")
	case len(done.Changes) == 0 && len(done.Disagree) > 0:
		c.note("nothing", "to do in what belay writes")
	case len(done.Changes) == 0:
		c.note("nothing", "to do: every summary that was read agrees with its register")
	case done.Written:
		c.note("written", what+"; belay undo takes it back")
	default:
		c.note("nothing", "is written yet; --write changes "+what)
	}
}

// withRegisters are the deliverables of a project that have both files. Folders in which there
// may be more of them have failed.
func withRegisters(ctx context.Context, c *console, root string, done *summaries) ([]workspace.Deliverable, error) {
	found, err := scan.Scan(ctx, root, scan.Options{})
	if err != nil {
		return nil, err
	}
	closed := func(path, why string) {
		summaryFailed(c, done, workspace.Deliverable{Rel: path}, fault.New(fault.WorkspaceFileReadFailed, "%s", why))
	}
	for _, f := range found.Unread() {
		closed(f.Path, "the folder "+f.Message)
	}
	var all []workspace.Deliverable
	for _, f := range found.Deliverables {
		if f.Unreadable {
			closed(f.Path, "the folder cannot be read")
		}
		const both = scan.Register | scan.Dependencies
		if odd := f.Odd & both; odd != 0 && (f.Files | f.Odd).Has(both) {
			closed(f.Path, odd.Names()[0]+" is a link, or no file")
		}
		if !f.Files.Has(scan.Register) || !f.Files.Has(scan.Dependencies) {
			continue
		}
		d, err := workspace.FindDeliverable(root, filepath.Join(root, filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", layout.DependenciesFile, err)
		}
		all = append(all, d)
	}
	return all, nil
}
