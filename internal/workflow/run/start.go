package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/workflow/definition"
	"belay/internal/workspace"
)

// Start checks everything that can be checked, records the run, and sets it to
// work in a goroutine that the runner owns. An INVALID_WORKFLOW lists every problem
// of the file with its place.
func (r *Runner) Start(ctx context.Context, req Request) (Summary, error) {
	w, at, err := r.begin(ctx, req)
	if err != nil {
		return Summary{}, err
	}
	_, err = workspace.CheckRoot(req.Project, "", r.o.Private...)
	if err == nil {
		err = r.ready(w, req.Provider)
	}
	if err != nil {
		return Summary{}, errors.Join(err, at.Close())
	}
	id := "run_" + r.o.NewID()
	record := Record{
		Summary: Summary{
			ID: id, Workflow: w.ID, Version: w.Version, File: req.File, Project: req.Project,
			Status: Running, StartedAt: r.o.Clock().UTC(),
		},
		SHA256: w.sum(), Folder: filepath.Dir(req.File), Input: w.input,
		Configured: r.o.Provider, Provider: req.Provider, Model: req.Model, Mode: req.Mode, Allow: req.Allow, SkipRefused: req.SkipRefused,
		within: req.Within,
	}
	x, err := r.open(w, record, at, true, func(x *execution) error {
		var err error
		if x.records.folder, err = makeFolder(req.Project, id); err != nil {
			return storage("the run's folder cannot be made", err)
		}
		return x.records.folder.keepFlow(w, fileFlow)
	})
	if err != nil {
		return Summary{}, err
	}
	x.eval.onQuestion = req.OnQuestion
	if err = x.planner().beginning(ctx, req.Strict); err != nil {
		return Summary{}, errors.Join(err, x.undo())
	}
	err = r.state.keepGrant(x.record)
	if err == nil {
		err = x.records.journal.add(RunStart, "", Begun{ID: id, Workflow: w.ID, Tasks: len(w.Tasks)})
	}
	if err == nil {
		err = x.records.folder.writeRun(*x.record)
	}
	if err != nil {
		return Summary{}, errors.Join(err, x.undo())
	}
	return x.launch()
}

// ready checks that turns can be had of every provider that agents name.
func (r *Runner) ready(w *flow, provider string) error {
	if r.o.Ready == nil {
		return nil
	}
	var names []string
	for _, a := range w.Agents {
		names = append(names, a.Provider)
	}
	w.Walk(func(t *definition.Task) {
		if t.Provider != "" {
			names = append(names, t.Provider)
		}
	})
	if provider != "" && len(names) > 0 {
		names = []string{""} // the person's stands for all
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := r.o.Ready(name); err != nil {
			return err
		}
	}
	return nil
}

// readyAgain is ready for a run that is taken up. Where a model answered before, the
// built-in provider does not go on: the words that it repeats would stand among answers.
func (r *Runner) readyAgain(w *flow, record Record) error {
	before := record.Configured
	unnamed := slices.ContainsFunc(w.Agents, func(a *definition.Agent) bool { return a.Provider == "" })
	if record.Provider == "" && before != "" && before != r.o.Provider && unnamed && r.o.Repeats != nil && r.o.Repeats("") {
		return fault.New(fault.MissingAPIKey, "the run %s began with the provider %s, and no model is configured now", record.ID, before).With("runId", record.ID).
			WithHint("take it up with the same --config, or with --provider %s", before)
	}
	return r.ready(w, record.Provider)
}

// open makes the execution of a run that is made, or taken up: its lock, its folder,
// its blobs. The site is the execution's from now on. What is open is closed again where it fails.
func (r *Runner) open(w *flow, record Record, at *site, made bool, folder func(*execution) error) (_ *execution, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	recs := &records{record: record, before: map[string]*Task{}, clock: r.o.Clock}
	x := &execution{
		r: r, id: record.ID, w: w, at: at, records: recs, record: &recs.record, eval: newEvaluator(&r.o, w, at, &recs.record),
		ctx: ctx, cancel: cancel, done: make(chan struct{}),
	}
	defer func() {
		if err != nil {
			cancel(nil)
			err = errors.Join(err, x.release())
		}
	}()
	if x.lock, err = r.state.lock(x.id); err != nil {
		return nil, err
	}
	if err = folder(x); err != nil {
		return nil, err
	}
	if x.blobs, err = r.o.Blobs(record.Project); err != nil {
		return nil, err
	}
	x.records.journal, err = openJournal(x.records.folder, made, r.o.Clock)
	return x, err
}

// undo removes a run that did not begin.
func (x *execution) undo() error {
	err := x.release()
	x.cancel(nil)
	if e := os.Remove(x.r.state.grantPath(x.id)); !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return errors.Join(err, removeRun(x.record.Project, x.id))
}

// launch sets the execution to work.
func (x *execution) launch() (Summary, error) {
	if err := x.r.enter(x); err != nil {
		x.cancel(nil)
		return Summary{}, errors.Join(err, x.release())
	}
	s := x.records.summary()
	go x.run()
	return s, nil
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
	if err != nil {
		return Summary{}, err
	}
	x, err := r.reopen(w, record, at)
	if err != nil {
		return Summary{}, err
	}
	x.eval.onQuestion = onQuestion
	if err = x.recollect(); err == nil {
		err = x.takeUp(nil)
	}
	if err != nil {
		x.cancel(nil)
		return Summary{}, errors.Join(err, x.release())
	}
	return x.launch()
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
	if record.Status == Failed || record.Status == Cancelled {
		record.EndedBefore = record.EndedAt
	}
	last := ""
	for i := range tasks {
		t := &tasks[i]
		x.records.before[t.Key], x.records.order = t, max(x.records.order, t.Order)
		if !strings.Contains(t.Key, "/") {
			last = t.Key
		}
	}
	done := 0
	var usage *event.Tokens
	var calls *event.Calls
	for key, t := range x.records.before {
		usage, calls = sum(usage, t.Usage), calls.Plus(t.Calls)
		if top, _, _ := strings.Cut(key, "/"); top == last && t.failedUntil(record.EndedBefore) {
			t.Status, t.Decided = Interrupted, nil // it is what the run ended with: tried again
		}
		if t.ended() {
			done++
		}
	}
	record.Status, record.EndedAt, record.Error, record.Usage, record.Calls = Running, nil, nil, usage, calls
	*x.record, x.finished, x.corrected = record, done, len(record.Corrections) > 0
	return nil
}

// takeUp puts on record that the run goes on, with what is kept of it where its file was
// corrected.
func (x *execution) takeUp(kept []Kept) error {
	x.record.Resumed, x.record.Configured = append(x.record.Resumed, x.records.now()), x.r.o.Provider
	d := Begun{ID: x.id, Workflow: x.record.Workflow, Tasks: len(x.w.Tasks), Done: x.finished, Kept: kept}
	if err := x.records.journal.add(RunResume, "", d); err != nil {
		return err
	}
	return x.records.folder.writeRun(*x.record)
}
