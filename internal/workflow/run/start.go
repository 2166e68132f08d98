package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"belay/internal/workflow/definition"
	"belay/internal/workspace"
)

// Start checks everything that can be checked, records the run, and sets it to
// work in a goroutine that the runner owns. An INVALID_WORKFLOW lists every problem
// of the file with its place. A request with a key begins one run, however often it is sent.
func (r *Runner) Start(ctx context.Context, req Request) (Summary, error) {
	if req.Key != "" {
		return once(ctx, r, req)
	}
	return start(ctx, r, req, nil)
}

// start begins a run; sent is what is kept of a request with a key.
func start(ctx context.Context, r *Runner, req Request, sent *Sent) (Summary, error) {
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
		within: req.Within, Sent: sent,
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
	return x.launch(x.undo)
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

// open makes the execution of a run that is made, or taken up: its lock, its folder,
// its blobs. The site is the execution's from now on. What is open is closed again where it fails.
func (r *Runner) open(w *flow, record Record, at *site, made bool, folder func(*execution) error) (_ *execution, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	recs := &records{record: record, before: map[string]*Task{}, clock: r.o.Clock, reserved: reserved{within: map[string]int{}, begun: map[string]int{}}}
	x := &execution{
		r: r, id: record.ID, w: w, at: at, records: recs, record: &recs.record, eval: newEvaluator(&r.o, w, at, &recs.record),
		ctx: ctx, cancel: cancel, done: make(chan struct{}),
	}
	defer func() {
		switch {
		case err == nil:
		case made:
			err = errors.Join(err, x.undo())
		default:
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
	return x, x.records.openJournal(x.lock, made)
}

// undo removes a run that did not begin, its lock last.
func (x *execution) undo() error {
	lock := x.lock
	x.lock = nil
	err := x.release()
	x.cancel(nil)
	if lock == nil {
		return err // nothing was made
	}
	if e := os.Remove(x.r.state.grantPath(x.id)); !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return errors.Join(err, removeRun(x.record.Project, x.id), lock.Remove())
}

// launch sets the execution to work. Where the runner closes, back leaves the run as it was.
func (x *execution) launch(back func() error) (Summary, error) {
	if err := x.r.enter(x); err != nil {
		x.cancel(nil)
		return Summary{}, errors.Join(err, back())
	}
	s := x.records.summary()
	go x.run()
	return s, nil
}
