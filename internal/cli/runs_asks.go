package cli

import (
	"context"

	"belay/internal/app"
	"belay/internal/workflow/run"
)

// tasksThatAsk are the tasks of which a call waits for a person, as people see what a run waits for.
// They are none where the questions cannot be read.
func tasksThatAsk(ctx context.Context, a *app.App, tasks []run.Task) (all []run.Waiting) {
	open, err := a.Engine.Decisions(ctx, "")
	if err != nil {
		return nil
	}
	for i := range tasks {
		t := &tasks[i]
		n := len(t.Attempts)
		if n == 0 || t.Status != run.Running {
			continue
		}
		for _, q := range open {
			if q.SessionID == t.Attempts[n-1].Session {
				all = append(all, run.Waiting{Task: t.Key, Message: q.Effect.Act()})
			}
		}
	}
	return all
}
