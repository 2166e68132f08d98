package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/workspace"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/register"
	"belay/internal/workspace/registerfile"
)

// importFlags are how a proposal is taken.
type importFlags struct {
	apply, noRetire, stale bool
	only                   []string
}

// imported is the answer of an import as JSON.
type imported struct {
	ProjectRoot string         `json:"projectRoot"`
	Deliverable string         `json:"deliverable"`
	Path        string         `json:"path"`
	Diff        *register.Diff `json:"diff"`
	// Left is how many rows of the proposal --only leaves out; Diff has none of them.
	Left int `json:"left,omitempty"`
	// Applied is set where it was written, and Change is then what belay undo takes.
	Applied bool   `json:"applied"`
	Change  string `json:"change,omitempty"`
	// Proposal is the record of one that the project keeps. Stale is set where the
	// register has changed since it was made.
	Proposal *proposal.Proposal `json:"proposal,omitempty"`
	Stale    bool               `json:"stale,omitempty"`
	// RegisterTag is that of the register as it is now.
	RegisterTag string `json:"registerTag,omitempty"`
	// SummaryProblem is why _DEPENDENCIES.md was not brought in line.
	SummaryProblem string `json:"summaryProblem,omitempty"`
}

func newDepsImport(c *console) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import DELIVERABLE PROPOSAL.csv",
		Short: "Compare a proposed register, and apply it",
		Long: `Compare a proposal, a register of the v3.1 schema, with the register of a deliverable.
Rows match by DependencyID. The command lists new rows, confirmed rows with their changes,
and rows that would be retired because the proposal lacks them. Rows that people declared
are never retired, and no row is deleted.

Without --apply nothing is written. --apply changes the register row by row and updates
the lists and numbers in _DEPENDENCIES.md; belay undo reverts it. Use - to read the
proposal from stdin.

A file of .belay/proposals is closed as applied, and belay undo opens it again. If the register has changed since the
proposal, look at the new comparison, then pass --stale to confirm that you saw it.`,
		Example: "  belay deps import DEL-01-02 proposal.csv\n  belay deps import DEL-01-02 proposal.csv --apply\n" +
			"  belay deps import DEL-01-02 proposal.csv --apply --only DEP-01-02-007,DEP-01-02-008",
		Args: cobra.ExactArgs(2),
	}
	cmd.Flags().BoolVar(&f.apply, "apply", false, "write it")
	cmd.Flags().BoolVar(&f.stale, "stale", false, "confirm that you saw the comparison with the newer register")
	cmd.Flags().BoolVar(&f.noRetire, "no-retire", false, "do not retire rows that the proposal lacks")
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "apply these rows alone, by `ID`,...")
	projectFlag(cmd)
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		done, err := importProposal(cmd.Context(), c, cfg, args, f)
		if err != nil {
			printRowProblems(c, err)
			return err
		}
		return answer(c, done, func() { printImport(c, done, f.apply) })
	}
	return cmd
}

// importProposal compares a proposal with its register, and applies it where that
// is wanted.
func importProposal(ctx context.Context, c *console, cfg *config.Config, args []string, f importFlags) (imported, error) {
	root, err := settledRoot(ctx, c, cfg)
	if err != nil {
		return imported{}, err
	}
	d, err := deliverableNamed(ctx, root, args[0])
	if err != nil {
		return imported{}, err
	}
	data, err := proposalFile(c, args[1])
	if err != nil {
		return imported{}, err
	}
	registers, err := app.OpenRegisters(cfg)
	if err != nil {
		return imported{}, err
	}
	done := imported{ProjectRoot: root, Deliverable: layout.ParseName(filepath.Base(d.Path)).ID, Path: d.Rel}
	var result registerfile.Result
	if id := proposal.IDOf(root, args[1]); id != "" {
		result, err = importKept(ctx, c, registers.Proposals, d, id, f, &done)
	} else {
		result, err = importRows(ctx, c, registers.Files, d, args[1], data, f, &done)
	}
	if err == nil && f.apply {
		done.Diff, done.Applied, done.RegisterTag, done.SummaryProblem = result.Diff, true, result.File.Tag, result.Summary
		done.Change = result.Change
	}
	if len(f.only) > 0 && done.Diff != nil {
		done.Diff, done.Left = onlyRows(done.Diff, f.only)
	}
	return done, err
}

// onlyRows is the part of a diff with these ids, and how many other rows it has.
func onlyRows(all *register.Diff, ids []string) (part *register.Diff, left int) {
	of := func(rows []register.DiffRow) []register.DiffRow {
		some := slices.DeleteFunc(slices.Clone(rows), func(r register.DiffRow) bool { return !slices.Contains(ids, r.ID) })
		left += len(rows) - len(some)
		return orEmpty(some)
	}
	return &register.Diff{New: of(all.New), Confirmed: of(all.Confirmed), Retired: of(all.Retired), Columns: all.Columns}, left
}

// importKept takes a proposal that the project keeps.
func importKept(ctx context.Context, c *console, kept *proposal.Store, d workspace.Deliverable, id string, f importFlags, done *imported) (registerfile.Result, error) {
	settle := proposal.Settle{By: c.person(), Only: f.only, Retire: !f.noRetire}
	shown, err := kept.Show(ctx, d.Project, id, settle)
	done.Diff, done.RegisterTag, done.Stale, done.Proposal = shown.Diff, shown.Tag, shown.Stale, &shown.Proposal
	if err == nil && shown.Path != d.Rel {
		err = usage("the proposal %s is one for %s", id, shown.Path)
	}
	if err != nil || !f.apply {
		return registerfile.Result{}, err
	}
	if shown.Stale && !f.stale {
		return registerfile.Result{}, failed(ExitFailed, "look at it without --apply, and then add --stale", errors.New("the register has changed since this was proposed"))
	}
	settle.Match = func(tag string) bool { return tag == shown.Tag }
	applied, result, err := kept.Apply(ctx, d.Project, id, settle)
	done.Proposal = &applied
	return result, err
}

// importRows takes the rows of a file that somebody made.
func importRows(ctx context.Context, c *console, files *registerfile.Files, d workspace.Deliverable, name string, data []byte, f importFlags, done *imported) (r registerfile.Result, err error) {
	rows, o := register.Parse(data), register.ProposalOptions{Complete: !f.noRetire, Only: f.only}
	if done.Diff, done.RegisterTag, err = files.Preview(ctx, d, rows, o); err == nil {
		err = proposal.Has(done.Diff, f.only)
	}
	if err != nil || !f.apply {
		return r, err
	}
	note := "proposal " + clip(line(filepath.Base(name)), 80)
	return files.Apply(ctx, d, registerfile.Change{By: c.person()}, rows, o, note)
}

// proposalFile reads a proposal.
func proposalFile(c *console, name string) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(c.in, register.MaxBytes+1))
		if err == nil && len(data) > register.MaxBytes {
			err = usage("the proposal is larger than %d bytes", register.MaxBytes)
		}
		return data, err
	}
	if name == "" { // as of a variable that is not set
		return nil, failed(ExitUsage, "name the file with the proposed register", errors.New("FILE is empty"))
	}
	data, _, err := durable.ReadFile(nil, name, register.MaxBytes)
	if os.IsNotExist(err) {
		return nil, failed(ExitNotFound, "name the file with the proposed register", fmt.Errorf("%s does not exist", line(name)))
	}
	if err != nil {
		return nil, failed(ExitUsage, "name the file with the proposed register", err)
	}
	return data, nil
}
