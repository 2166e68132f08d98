package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"belay/internal/fault"
)

// Corrected asks for a run to go on with a corrected workflow file.
type Corrected struct {
	// Project and ID name the run, File is the absolute path of the file. Within and
	// OnQuestion are as in [Request].
	Project, ID, File, Within, OnQuestion string
	// Strict is as in [Request], for the tasks that are still to be done.
	Strict bool
}

// Correct takes up a run that is not finished, with a corrected file. Finished tasks are
// kept where neither their definition nor what they are given has changed; the others are
// done again. The run keeps its input, mode and rights. All that [Runner.Start] checks is
// checked, and nothing is changed where something is wrong.
func (r *Runner) Correct(ctx context.Context, c Corrected) (Summary, error) {
	x, kept, err := r.correct(ctx, c, true)
	if err != nil {
		return Summary{}, err
	}
	if err := x.adopt(c, kept); err != nil {
		x.cancel(nil)
		return Summary{}, errors.Join(err, x.release())
	}
	return x.launch(x.release)
}

// PlanCorrect says which finished tasks [Runner.Correct] would keep and which it would do
// again. Nothing is changed.
func (r *Runner) PlanCorrect(ctx context.Context, c Corrected) ([]Kept, error) {
	x, kept, err := r.correct(ctx, c, false)
	if err != nil {
		return nil, err
	}
	x.cancel(nil)
	return kept, x.release()
}

// correct opens a run with a corrected file.
func (r *Runner) correct(ctx context.Context, c Corrected, keep bool) (_ *execution, kept []Kept, err error) {
	f, err := openFolder(c.Project, c.ID)
	if err != nil {
		return nil, nil, err
	}
	record, err := f.read()
	f.close()
	if err != nil {
		return nil, nil, err
	}
	record.Project = c.Project
	if err := r.state.granted(&record); err != nil {
		return nil, nil, err
	}
	w, at, err := r.begin(ctx, Request{
		Project: c.Project, File: c.File, Within: c.Within, Input: record.Input, Provider: record.Provider, Model: record.Model,
		Mode: record.Mode, Allow: record.Allow, resumes: true,
	})
	if err != nil {
		return nil, nil, err
	}
	if err = r.readyAgain(w, record); err == nil && w.ID != record.Workflow {
		err = fault.New(fault.InvalidRequest, "the file is the workflow %s, and the run %s is of %s", w.ID, c.ID, record.Workflow).
			With("runId", c.ID).WithHint("name the corrected file of the workflow %s", record.Workflow)
	}
	if err != nil {
		return nil, nil, errors.Join(err, at.Close())
	}
	x, err := r.reopen(w, record, at)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			x.cancel(nil)
			err = errors.Join(err, x.release())
		}
	}()
	x.eval.onQuestion = c.OnQuestion
	if err = x.recollect(); err != nil {
		return nil, nil, err
	}
	x.corrected, x.record.Input = true, w.input
	p := x.planner()
	if !keep {
		p.fetched = nil
	}
	s, next, kept := x.reuse().survey(ctx)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	return x, kept, p.ahead(ctx, next, s, c.Strict && !record.SkipRefused)
}

// adopt makes a corrected file the run's own: its copy, then the right to go by it, then
// the record that names it. A crash in between leaves the run as it was.
func (x *execution) adopt(c Corrected, kept []Kept) error {
	before := *x.record
	x.record.SHA256, x.record.File, x.record.Folder, x.record.within = x.w.sum(), c.File, filepath.Dir(c.File), c.Within
	x.record.Version = x.w.Version
	if x.record.SHA256 != before.SHA256 || x.record.Folder != before.Folder {
		x.record.Corrections = append(x.record.Corrections, Correction{File: c.File, SHA256: x.record.SHA256, At: x.records.now()})
		if err := x.records.folder.keepFlow(x.w, x.record.copyName()); err != nil {
			return err
		}
		if err := x.r.state.extendGrant(&before, fileOfRecord(x.record)); err != nil {
			return err
		}
	}
	return x.takeUp(kept)
}

// copyName is the run's copy of the file that it goes by.
func (r *Record) copyName() string {
	if n := len(r.Corrections); n > 0 {
		return fmt.Sprintf("%s.%d", fileFlow, n+1)
	}
	return fileFlow
}
