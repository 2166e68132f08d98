// Package renumber turns the invalid ids of a project's registers into valid ones.
//
// [Make] reads every register of the deliverables that are worked on, and works out
// what would change: DependencyID, FromDeliverableID and TargetDeliverableID in the
// registers, and the references to them in _DEPENDENCIES.md and in proposals that
// wait. It changes nothing; the caller makes the changes, all or none. Valid ids
// never change.
//
// Contract: workspace spec, 6.8.
package renumber

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/quantity"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
)

// Plan is what would change.
type Plan struct {
	Registers []Register
	// Files are all that change, registers first.
	Files []changeset.File
}

// Register is a register with invalid ids.
type Register struct {
	Path    string               `json:"path"`
	Changes []register.IDChange  `json:"changes"`
	Left    []register.IDProblem `json:"left"`
}

// work is the making of a plan.
type work struct {
	project *os.Root
	today   string
	plan    *Plan
	// all are the registers that were read.
	all []*one
	// only are the valid ids by those that one register alone had, "" for those of
	// several.
	only map[string]string
	// waiting are the proposals that wait, by the folders of their deliverables: a row
	// must not get the id of one that is to come.
	waiting map[string][]*register.Register
}

// one is a deliverable's register.
type one struct {
	folder        *scan.Folder
	numbering     *register.Numbering
	before, after *register.Register
	changes       []register.IDChange
}

// Make works out what would change. Found is what a scan of the project gave, today
// the day for the history, YYYY-MM-DD.
func Make(ctx context.Context, root string, found *scan.Result, today string) (*Plan, error) {
	project, err := workspace.OpenProject(root)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	w := &work{project: project, today: today, plan: &Plan{Registers: []Register{}, Files: []changeset.File{}}, only: map[string]string{}, waiting: map[string][]*register.Register{}}
	_, err = proposal.Rewrite(ctx, root, func(p *proposal.Proposal, rows *register.Register) *register.Register {
		w.waiting[p.Path] = append(w.waiting[p.Path], rows)
		return rows
	})
	if err != nil {
		return nil, err
	}
	if closed := found.Unread(); len(closed) > 0 {
		return nil, unreadable(closed[0].Path, register.MaxBytes, errors.New(closed[0].Message))
	}
	meant := register.NewMeanings()
	for _, f := range found.Deliverables {
		meant.Add(f.ID, f.Name)
	}
	for _, f := range found.Deliverables {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if f.Files.Has(scan.Register) || f.Unreadable {
			if err := w.register(f, meant); err != nil {
				return nil, err
			}
		}
		if f.Odd.Has(scan.Register) { // which nothing is written to
			w.plan.Registers = append(w.plan.Registers, Register{
				Path: path.Join(f.Path, layout.RegisterFile), Changes: []register.IDChange{}, Left: []register.IDProblem{{Problem: "it is a link, or no file"}},
			})
		}
	}
	for _, o := range w.all {
		if err := w.summary(o); err != nil {
			return nil, err
		}
	}
	if err := w.proposals(ctx, root); err != nil {
		return nil, err
	}
	return w.plan, nil
}

// register reads one register and gives its rows valid ids.
func (w *work) register(f *scan.Folder, meant register.Meanings) error {
	name := path.Join(f.Path, layout.RegisterFile)
	data, _, err := durable.ReadFile(w.project, name, register.MaxBytes)
	if err != nil {
		return unreadable(name, register.MaxBytes, err)
	}
	o := &one{folder: f, numbering: register.NewNumbering(f.Base(), meant.Of), before: register.Parse(data)}
	for _, rows := range w.waiting[f.Path] {
		o.numbering.Reserve(rows)
	}
	after, changes, left := o.numbering.Renumber(o.before)
	o.after, o.changes = after, changes
	w.all = append(w.all, o)
	for id, valid := range o.numbering.IDs() {
		if _, twice := w.only[id]; twice {
			valid = ""
		}
		w.only[id] = valid
	}
	if len(changes)+len(left) > 0 {
		w.plan.Registers = append(w.plan.Registers, Register{Path: name, Changes: append([]register.IDChange{}, changes...), Left: append([]register.IDProblem{}, left...)})
	}
	w.add(changeset.File{Path: name, Before: data, After: after.Bytes()})
	return nil
}

func (w *work) add(f changeset.File) {
	if f.Changes() {
		w.plan.Files = append(w.plan.Files, f)
	}
}

// summary renames the ids in a _DEPENDENCIES.md: those of its register, and those of
// others that only one register had.
func (w *work) summary(o *one) error {
	if !o.folder.Files.Has(scan.Dependencies) {
		return nil
	}
	name := path.Join(o.folder.Path, layout.DependenciesFile)
	data, _, err := durable.ReadFile(w.project, name, register.MaxSummary)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(name, register.MaxSummary, err)
	}
	s := register.ParseSummary(data)
	if !s.Text() || s.Conflict() > 0 {
		return nil // deps lint says so
	}
	if run := w.run(o); len(o.changes) > 0 && s.Follow(o.before, o.after, w.today, run) != "" {
		s.Note(o.after, *run)
	}
	s.Rename(func(id string) string {
		if valid := o.numbering.IDs()[id]; valid != "" {
			return valid
		}
		if valid := w.only[id]; valid != "" && !o.before.HasID(id) {
			return valid
		}
		return ""
	})
	w.add(changeset.File{Path: name, Before: data, After: s.Bytes()})
	return nil
}

// run is how the history of a deliverable tells it.
func (w *work) run(o *one) *register.Run {
	var ids []string
	for _, c := range o.changes {
		if c.Column == register.DependencyID.String() && c.Before != "" {
			ids = append(ids, c.Before+" > "+c.After)
		}
	}
	note := quantity.Count(len(o.changes), "id", "ids") + " made valid"
	if len(ids) > 0 {
		note += ": " + strings.Join(ids, ", ")
	}
	return &register.Run{Date: w.today, Mode: "RENUMBER", Note: note}
}

// proposals gives the proposals that wait the ids of their registers.
func (w *work) proposals(ctx context.Context, root string) error {
	byPath := map[string]*one{}
	for _, o := range w.all {
		byPath[o.folder.Path] = o
	}
	files, err := proposal.Rewrite(ctx, root, func(p *proposal.Proposal, rows *register.Register) *register.Register {
		o := byPath[p.Path]
		if o == nil {
			return rows
		}
		after, _, _ := o.numbering.Renumber(rows)
		for i, id := range p.Missing {
			if valid := o.numbering.IDs()[id]; valid != "" {
				p.Missing[i] = valid
			}
		}
		if p.MadeFor == changeset.Hash(o.before.Bytes()) {
			p.MadeFor = changeset.Hash(o.after.Bytes()) // it is not older than the register because of this
		}
		return after
	})
	for _, f := range files {
		w.add(f)
	}
	return err
}

// unreadable is the error for a file without which it is not known which ids are free.
func unreadable(name string, limit int64, err error) error {
	if errors.Is(err, durable.ErrTooLarge) {
		return fault.New(fault.WorkspaceFileReadFailed, "%s is larger than %s, which is the most that belay reads, so no id was changed", name, quantity.Size(limit)).
			Because(err).WithHint("move what is old into a file beside it, then try again")
	}
	return fault.New(fault.WorkspaceFileReadFailed, "%s cannot be read, so no id was changed", name).Because(err)
}
