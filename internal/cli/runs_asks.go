package cli

import (
	"context"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/workflow/run"
)

// allQuestions are those of all sessions, none where they cannot be read.
func allQuestions(ctx context.Context, a *app.App) []permit.Request {
	open, err := a.Engine.Decisions(ctx, "")
	if err != nil {
		return nil
	}
	return open
}

// tasksThatAsk are the tasks of which a call waits for a person, as people see what a run waits for.
func tasksThatAsk(open []permit.Request, tasks []run.Task) (all []run.Waiting) {
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
