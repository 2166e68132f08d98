//go:build crashtest

package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/app"
	"belay/internal/durable"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/workflow/run"
)

// twoTasks is a workflow whose second task sees what the first one gave.
const twoTasks = `id: two
agents:
  - id: reader
    instructions: You read.
    tools: []
tasks:
  - {id: one, agent: reader, prompt: "One.", on_success: {next: last}}
  - {id: last, agent: reader, prompt: "Last: {{ .tasks.one.output.response }}", final: true}
outputs: {last: "{{ .tasks.last.output.response }}"}
`

// runScenarios are about workflows.
var runScenarios = []scenario{
	{
		name: "run",
		setup: func(w *world, _ *app.App) {
			must(w.t, os.WriteFile(filepath.Join(w.project, "two.yaml"), []byte(twoTasks), 0o600))
		},
		work: func(w *world, a *app.App) {
			begun, err := a.Runs.Start(context.Background(), run.Request{Project: w.project, File: filepath.Join(w.project, "two.yaml"), Allow: []string{"read(*)"}})
			w.try(err)
			w.acknowledged("the run", func(w *world, a *app.App) error { return w.hasRun(a, begun.ID) })
			if w.follow(a, begun.ID, 0) {
				w.acknowledged("the end of the run", func(w *world, a *app.App) error { return w.hasEvents(a, begun.ID) })
			}
		},
		always: runsGoOn(`{"last":"Last: One."}`),
	},
	correctedRun,
	largeRun,
	raceRun,
	{
		name:   "cancelled run",
		script: "turns:\n  - when: Last\n    steps:\n      - wait: 10m\n",
		setup: func(w *world, _ *app.App) {
			must(w.t, os.WriteFile(filepath.Join(w.project, "two.yaml"), []byte(twoTasks), 0o600))
		},
		work: func(w *world, a *app.App) {
			ctx := context.Background()
			begun, err := a.Runs.Start(ctx, run.Request{Project: w.project, File: filepath.Join(w.project, "two.yaml"), Allow: []string{"read(*)"}})
			w.try(err)
			w.try(a.Runs.Cancel(ctx, w.project, begun.ID))
			w.acknowledged("the cancelling", func(w *world, a *app.App) error {
				now, err := a.Runs.Show(ctx, w.project, begun.ID)
				if err != nil || now.Status == run.Cancelled || now.Status == run.Interrupted {
					return err
				}
				if e := now.Error; now.Status == run.Failed && e != nil && e.Type == fault.StorageFailure {
					return nil // it has stopped, on a full disk
				}
				return fmt.Errorf("it is %s", now.Status)
			})
		},
	},
	{
		name:   "answered run",
		script: "turns:\n  - when: Never\n    steps:\n      - say: no\n",
		setup: func(w *world, _ *app.App) {
			must(w.t, os.WriteFile(filepath.Join(w.project, "wait.yaml"), []byte("id: wait\ntasks: [{id: ask, type: wait, message: Well?}]\n"), 0o600))
		},
		work: func(w *world, a *app.App) {
			ctx := context.Background()
			begun, err := a.Runs.Start(ctx, run.Request{Project: w.project, File: filepath.Join(w.project, "wait.yaml")})
			w.try(err)
			for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
				waits, err := a.Runs.Waits(ctx, begun.ID)
				w.try(err)
				if len(waits) > 0 || time.Now().After(end) {
					break
				}
				now, err := a.Runs.Show(ctx, w.project, begun.ID)
				w.try(err)
				if now.Status != run.Running {
					return // the disk is full
				}
			}
			_, err = a.Runs.Answer(ctx, run.AnswerRequest{Project: w.project, ID: begun.ID, Answer: run.AnswerContinue, By: "ann"})
			w.try(err)
			w.acknowledged("the answer", func(w *world, a *app.App) error {
				now, err := a.Runs.Show(ctx, w.project, begun.ID)
				if err != nil {
					return err
				}
				if err == nil && (len(now.Tasks) != 1 || now.Tasks[0].Decided == nil || now.Tasks[0].Decided.By != "ann") {
					err = fmt.Errorf("the task is %+v", now.Tasks)
				}
				return err
			})
			w.follow(a, begun.ID, 0)
		},
	},
}

// follow reads the events of a run after a sequence to its end, and reports whether they
// tell of it.
func (w *world) follow(a *app.App, id string, after int64) (ended bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := a.Runs.Follow(ctx, w.project, id, after)
	w.try(err)
	defer func() { w.try(s.Close()) }()
	for {
		events, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		w.try(err)
		for _, e := range events {
			st := step{ack: id, seen: &event.Event{Seq: e.Seq, Type: event.Type(e.Type)}}
			switch e.Type {
			case run.TaskEnd:
				st.kept = func(w *world, a *app.App) error { return w.hasTask(a, id, e.Task) }
			case run.RunEnd:
				ended = true
			}
			w.note(st)
		}
	}
	if !ended {
		w.unfinished(a, id)
	}
	return ended
}

// unfinished looks at a run whose events end without its end, as they do where that
// cannot be written: its record says how it ended, or why nobody works on it.
func (w *world) unfinished(a *app.App, id string) {
	w.t.Helper()
	if w.failed == nil {
		w.t.Fatal("nobody was told of the run's end")
	}
	rec, err := a.Runs.Show(context.Background(), w.project, id)
	w.try(err)
	switch {
	case rec.Error != nil:
		w.try(rec.Error.Fault())
	case rec.Status != run.Success:
		w.try(fmt.Errorf("nobody was told why the run is %s", rec.Status))
	}
}

// hasRun checks that a run which began can be taken up, with what it was allowed.
func (w *world) hasRun(a *app.App, id string) error {
	if _, err := a.Runs.Show(context.Background(), w.project, id); err != nil {
		return err
	}
	allowed, err := a.Runs.Allowed(context.Background(), w.project, id)
	if err == nil && !slices.Equal(allowed, []string{"read(*)"}) {
		err = fmt.Errorf("it is allowed %q", allowed)
	}
	return err
}

// hasTask checks that a finished task is on record.
func (w *world) hasTask(a *app.App, id, key string) error {
	t, err := a.Runs.Task(context.Background(), w.project, id, key)
	if err == nil && t.Status != run.Success {
		err = fmt.Errorf("the task %s is %s", key, t.Status)
	}
	return err
}

// acknowledgeEnds notes the tasks that a write to a run's log says have succeeded. A reader
// may see them from then on, however late the scenario's own reader is.
func (w *world) acknowledgeEnds(op durable.Op) {
	if op.Verb != durable.OpWrite || op.File != durable.RunLog {
		return
	}
	id := filepath.Base(filepath.Dir(op.Path))
	for line := range bytes.Lines(op.Data) {
		var e run.Event
		var end run.TaskEnded
		if json.Unmarshal(line, &e) != nil || e.Type != run.TaskEnd || json.Unmarshal(e.Data, &end) != nil || end.Status != run.Success {
			continue
		}
		w.acknowledged("the end of the task "+e.Task, func(w *world, a *app.App) error { return w.hasTask(a, id, e.Task) })
	}
}

// hasEvents checks that the events of a run that has ended are all there.
func (w *world) hasEvents(a *app.App, id string) error {
	events, err := w.runEvents(a, id)
	if err != nil {
		return err
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			return fmt.Errorf("event %d is missing", i+1)
		}
	}
	if len(events) == 0 || events[len(events)-1].Type != run.RunEnd {
		return fmt.Errorf("the last of %d events is missing", len(events))
	}
	return nil
}

func (w *world) runEvents(a *app.App, id string) (all []run.Event, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := a.Runs.Follow(ctx, w.project, id, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for {
		events, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
	}
}

// sameIDs checks that no event of a run has an id that was another's.
func (w *world) sameIDs(a *app.App, id string, seen map[int64]event.Type) error {
	events, err := w.runEvents(a, id)
	if fault.Is(err, fault.RunNotFound) {
		return nil // it was never durable
	}
	for _, e := range events {
		if before, known := seen[e.Seq]; known && before != event.Type(e.Type) {
			return fmt.Errorf("the id %d of the run was that of %s, and is that of %s now", e.Seq, before, e.Type)
		}
	}
	return err
}

// runsGoOn takes every run up that has not ended: it comes to the same result, and
// does nothing again that was done.
func runsGoOn(outputs string) check {
	return func(w *world, a *app.App) error {
		resume := func(id string) error {
			_, err := a.Runs.Resume(context.Background(), w.project, id, "")
			return err
		}
		return w.goOn(a, outputs, func(run.Task) bool { return true }, func(r run.Record) error { return resume(r.ID) })
	}
}

// goOn takes every run up that has not ended. What had succeeded of it before, and is
// final, is not done again.
func (w *world) goOn(a *app.App, outputs string, final func(run.Task) bool, takeUp func(run.Record) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	list, _, err := a.Runs.List(ctx, w.project, 0)
	if err != nil {
		return err
	}
	for _, s := range list {
		before, err := a.Runs.Show(ctx, w.project, s.ID)
		if err != nil {
			return err
		}
		if s.Status != run.Success {
			if err := takeUp(before); err != nil {
				return fmt.Errorf("take up the run: %w", err)
			}
		}
		if _, err := w.runEvents(a, s.ID); err != nil { // it has ended then
			return err
		}
		now, err := a.Runs.Show(ctx, w.project, s.ID)
		if err != nil {
			return err
		}
		if out, _ := json.Marshal(now.Outputs); now.Status != run.Success || string(out) != outputs {
			return fmt.Errorf("the run is %s with %s (%+v)", now.Status, out, now.Error)
		}
		for _, t := range before.Tasks {
			at := slices.IndexFunc(now.Tasks, func(n run.Task) bool { return n.Key == t.Key })
			if t.Status == run.Success && final(t) && (at < 0 || len(now.Tasks[at].Attempts) != len(t.Attempts)) {
				return fmt.Errorf("the task %s was finished and is done again", t.Key)
			}
		}
	}
	return nil
}
