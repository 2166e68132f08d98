package run

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/workflow/definition"
)

// readyAgain is ready for a run that is taken up. A provider that the person named for the
// run stays the only one that gets what agents are shown. Where a model answered before, the
// built-in provider does not go on: the words that it repeats would stand among answers.
func (r *Runner) readyAgain(w *flow, record Record) error {
	if record.Provider != "" && record.Provider != r.o.Provider {
		return fault.New(fault.InvalidRequest, "the run %s was begun with --provider %s, and the provider is %s now", record.ID, record.Provider, r.o.Provider).With("runId", record.ID).
			WithHint("take it up with belay run --resume %s --provider %s", record.ID, record.Provider)
	}
	before := record.Configured
	unnamed := slices.ContainsFunc(w.Agents, func(a *definition.Agent) bool { return a.Provider == "" })
	if record.Provider == "" && before != "" && before != r.o.Provider && unnamed && r.o.Repeats != nil && r.o.Repeats("") {
		return fault.New(fault.MissingAPIKey, "the run %s began with the provider %s, and no model is configured now", record.ID, before).With("runId", record.ID).
			WithHint("take it up with the same --config, or with --provider %s", before)
	}
	return r.ready(w, record.Provider)
}

// Resume takes up a run that is not finished: one whose process died, or that
// failed or was cancelled. What is finished is not done again; the run goes by its
// own copy of the workflow, whatever became of the file. RUN_IN_PROGRESS where a
// process works on it. Whether somebody attends it now is not on record: onQuestion
// says it anew, as [Request] does.
func (r *Runner) Resume(ctx context.Context, project, id, onQuestion string) (Summary, error) {
	if err := ctx.Err(); err != nil {
		return Summary{}, err
	}
	f, err := openFolder(project, id)
	if err != nil {
		return Summary{}, err
	}
	record, w, err := f.recall(ctx)
	f.close()
	if err != nil {
		return Summary{}, err
	}
	record.Project = project // where the folder is, whatever it was called before
	if err := r.state.granted(&record); err != nil {
		return Summary{}, err
	}
	if err := r.readyAgain(w, record); err != nil {
		return Summary{}, err
	}
	at, err := r.site(record.Folder, record.within, record.Project)
	if f := (*fault.Error)(nil); errors.As(err, &f) && errors.Is(err, fs.ErrNotExist) {
		return Summary{}, f.WithHint("if the file or the project was moved, name its new place: belay run FILE --resume %s", id)
	}
	if err != nil {
		return Summary{}, err
	}
	x, err := r.reopen(w, record, at)
	if err != nil {
		return Summary{}, err
	}
	x.eval.onQuestion = onQuestion
	if err = x.recollect(); err == nil {
		err = x.attended(ctx)
	}
	if err == nil {
		err = x.takeUp(nil)
	}
	if err != nil {
		x.cancel(nil)
		return Summary{}, errors.Join(err, x.release())
	}
	return x.launch(x.release)
}

// reopen is open for a run that there is.
func (r *Runner) reopen(w *flow, record Record, at *site) (*execution, error) {
	return r.open(w, record, at, false, func(x *execution) (err error) {
		x.records.folder, err = openFolder(record.Project, record.ID)
		return err
	})
}

// recall reads what a resumed run needs of its folder.
func (f *folder) recall(ctx context.Context) (Record, *flow, error) {
	record, err := f.read()
	if err != nil {
		return record, nil, err
	}
	data, err := f.workflow(record.copyName())
	if err != nil {
		return record, nil, err
	}
	w, err := parse(ctx, filepath.Base(record.File), data, definition.Options{Open: func(name string) ([]byte, error) {
		return f.workflow(copyOfUsed(record.copyName(), name))
	}})
	if ctx.Err() != nil {
		return record, nil, err
	}
	if w == nil && sumOf(data) != record.SHA256 || w != nil && w.sum() != record.SHA256 {
		return record, nil, unreadable(f.id, fileFlow, errors.New("it was changed since the run began"))
	}
	if err != nil {
		return record, nil, err
	}
	return record, w, w.give(record.Input, nil, false)
}

// recollect reads the records of a run that ended before, under its lock.
func (x *execution) recollect() error {
	// What was read before the lock was taken may be of another process's work.
	record, err := x.records.folder.read()
	if err != nil {
		return err
	}
	if record.Status == Success {
		return fault.New(fault.InvalidRequest, "the run %s is finished", x.id).With("runId", x.id).WithHint("see its results with belay runs show %s", x.id)
	}
	tasks, err := x.records.folder.tasks()
	if err != nil {
		return err
	}
	if err := x.records.folder.sweep(); err != nil {
		return storage("what a crash left cannot be removed", err)
	}
	record.Project = x.record.Project
	if err := x.r.state.granted(&record); err != nil {
		return err
	}
	x.records.leftAt(record.EndedAt)
	if record.Status == Failed || record.Status == Cancelled {
		record.EndedBefore = record.EndedAt
	}
	var last *Task
	for i := range tasks {
		t := &tasks[i]
		x.records.before[t.Key], x.records.order = t, max(x.records.order, t.Order)
		x.records.reserved.recall(t.Key)
		// A task that was cut off is not what a run failed with.
		cut := record.Status == Failed && t.EndedAt == nil
		if !strings.Contains(t.Key, "/") && !cut && !t.endedBefore(last) {
			last = t
		}
	}
	done := 0
	for key, t := range x.records.before {
		if top, _, _ := strings.Cut(key, "/"); last != nil && top == last.Key && t.failedUntil(record.EndedBefore) && !x.records.succeededWith(key) {
			// It is what the run ended with: tried again, also where the run ends before it.
			t.Status, t.Decided = Interrupted, nil
			t.waitAnew(x.records.now())
			x.again = append(x.again, t)
		}
		if t.ended() {
			done++
		}
	}
	record.Status, record.EndedAt, record.Error = Running, nil, nil
	record.Usage, record.Calls = spent(tasks)
	*x.record, x.finished, x.corrected = record, done, len(record.Corrections) > 0
	return nil
}

// takeUp puts on record that the run goes on, with what is kept of it where its file was
// corrected.
func (x *execution) takeUp(kept []Kept) error {
	now := x.records.now()
	x.record.Resumed, x.record.Configured = append(x.record.Resumed, now), x.r.o.Provider
	x.records.paused(now)
	d := Begun{ID: x.id, Workflow: x.record.Workflow, Tasks: len(x.w.Tasks), Done: x.finished, Kept: kept}
	for _, t := range x.again {
		if err := x.records.keep(t); err != nil {
			return err
		}
	}
	if err := x.records.journal.add(RunResume, "", d); err != nil {
		return err
	}
	return x.records.folder.writeRun(*x.record)
}
