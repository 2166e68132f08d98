//go:build crashtest

package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/app"
	"belay/internal/workflow/run"
)

// spoiltTasks is [twoTasks] with a mistake that only an answer shows, and with another
// text for the second task.
var spoiltTasks = strings.NewReplacer(`prompt: "Last: `, `prompt: "First try: `, "{{ .tasks.last.output.response }}", "{{ index .tasks.last.output.response 99 }}").Replace(twoTasks)

// correctedRun goes on with a corrected file, which changes the second task.
var correctedRun = scenario{
	name: "corrected run",
	setup: func(w *world, a *app.App) {
		w.fails(a, "two.yaml", spoiltTasks)
		must(w.t, os.WriteFile(filepath.Join(w.project, "two.yaml"), []byte(twoTasks), 0o600))
	},
	work: func(w *world, a *app.App) {
		id, after := w.failedRun(a)
		w.try(w.correct(a, id))
		w.acknowledged("the correction", func(w *world, a *app.App) error {
			now, err := a.Runs.Show(context.Background(), w.project, id)
			if err == nil && len(now.Corrections) == 0 {
				err = errors.New("the run does not go by the corrected file")
			}
			return err
		})
		if w.follow(a, id, after) {
			w.acknowledged("the end of the run", func(w *world, a *app.App) error { return w.hasEvents(a, id) })
		}
	},
	// The first task is never asked again. The second one is asked once more in any case,
	// and no more when that answer is on record.
	always: func(w *world, a *app.App) error {
		final := func(t run.Task) bool { return t.Key == "one" || len(t.Attempts) > 1 }
		return w.goOn(a, `{"last":"Last: One."}`, final, func(r run.Record) error {
			if len(r.Corrections) == 0 {
				return w.correct(a, r.ID)
			}
			_, err := a.Runs.Resume(context.Background(), w.project, r.ID, "")
			return err
		})
	},
}

func (w *world) correct(a *app.App, id string) error {
	_, err := a.Runs.Correct(context.Background(), run.Corrected{Project: w.project, ID: id, File: filepath.Join(w.project, "two.yaml")})
	return err
}

// The collection of largeRun has more than 50 items, so its tasks share a file of records
// and sessions. All but the last two are done beforehand, as each takes its time.
const (
	largeFlow = `id: large
agents:
  - id: reader
    instructions: You read.
    tools: []
tasks: [{id: each, type: collection, mode: sequential, strategy: fail_fast, items: "{{ until 52 | toJson }}", task: {id: it, agent: reader, prompt: "item {{ .item }}."}}]
outputs: {n: "{{ len .tasks.each.output }}", last: "{{ (index .tasks.each.output 51).output.response }}"}
`
	largeFails = "turns:\n  - when: item 50.\n    steps: [{fail: {status: 400, message: no luck}}]\n  - when: item\n    steps: [{say: Seen.}]\n"
	largeSays  = "turns:\n  - when: item\n    steps: [{say: Seen.}]\n"
)

// largeRun goes on with a large collection.
var largeRun = scenario{
	name:   "large run",
	script: largeFails,
	env:    map[string]string{"BELAY_RETRY_ATTEMPTS": "1"},
	setup: func(w *world, a *app.App) {
		w.fails(a, "large.yaml", largeFlow)
		must(w.t, os.WriteFile(w.env["BELAY_SCRIPTED_SCRIPT"], []byte(largeSays), 0o600))
	},
	work: func(w *world, a *app.App) {
		id, after := w.failedRun(a)
		_, err := a.Runs.Resume(context.Background(), w.project, id, "")
		w.try(err)
		if w.follow(a, id, after) {
			w.acknowledged("the end of the run", func(w *world, a *app.App) error { return w.hasEvents(a, id) })
		}
	},
	// What the setup paid for is never asked again.
	always: func(w *world, a *app.App) error {
		if err := runsGoOn(`{"last":"Seen.","n":"52"}`)(w, a); err != nil {
			return err
		}
		id, _ := w.failedRun(a)
		now, err := a.Runs.Show(context.Background(), w.project, id)
		for _, t := range now.Tasks {
			if t.Key != "each" && *t.Index < 50 && len(t.Attempts) != 1 {
				return fmt.Errorf("the task %s was asked %d times", t.Key, len(t.Attempts))
			}
		}
		return err
	},
}

// raceRun begins a large collection. Only one of its tasks is done, as the first wins.
var raceRun = scenario{
	name: "race of a large collection",
	env:  map[string]string{"BELAY_WORKFLOW_PARALLEL": "1"},
	setup: func(w *world, _ *app.App) {
		flow := strings.NewReplacer("mode: sequential, strategy: fail_fast", "strategy: race", "\noutputs: {n: \"{{ len .tasks.each.output }}\", last: \"{{ (index .tasks.each.output 51).output.response }}\"}", "").Replace(largeFlow)
		must(w.t, os.WriteFile(filepath.Join(w.project, "race.yaml"), []byte(flow), 0o600))
	},
	script: largeSays,
	work: func(w *world, a *app.App) {
		begun, err := a.Runs.Start(context.Background(), run.Request{Project: w.project, File: filepath.Join(w.project, "race.yaml")})
		w.try(err)
		w.follow(a, begun.ID, 0)
	},
	always: runsGoOn(`{"each":{"response":"Seen."}}`),
}

// fails starts a workflow and hears its run to its failure.
func (w *world) fails(a *app.App, name, flow string) {
	w.t.Helper()
	file := filepath.Join(w.project, name)
	must(w.t, os.WriteFile(file, []byte(flow), 0o600))
	begun, err := a.Runs.Start(context.Background(), run.Request{Project: w.project, File: file})
	must(w.t, err)
	_, err = w.runEvents(a, begun.ID)
	must(w.t, err)
	now, err := a.Runs.Show(context.Background(), w.project, begun.ID)
	must(w.t, err)
	if now.Status != run.Failed {
		w.t.Fatalf("the run is %s", now.Status)
	}
}

// failedRun is the run that the setup made, and the last of its events.
func (w *world) failedRun(a *app.App) (id string, last int64) {
	w.t.Helper()
	list, _, err := a.Runs.List(context.Background(), w.project, 0)
	w.try(err)
	if len(list) != 1 {
		w.try(fmt.Errorf("there are %d runs", len(list)))
	}
	events, err := w.runEvents(a, list[0].ID)
	w.try(err)
	return list[0].ID, events[len(events)-1].Seq
}
