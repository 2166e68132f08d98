package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"belay/internal/fault"
)

// answersEvery is how often a server looks for answers to turns of dead processes.
const answersEvery = 2 * time.Second

// answersFor is how long after an answer a server looks whether its turn's process is
// dead: the process may have ended just when it was given.
const answersFor = time.Minute

// followAnswers carries out the answers to questions of turns whose process has died,
// until ctx ends. A turn of a process that lives is left to that.
func followAnswers(ctx context.Context, a *App) {
	a.regularly(ctx, answersEvery, "answers of turns whose process has died could not be carried out", func(ctx context.Context) error { return carryOutAnswers(ctx, a) })
}

func carryOutAnswers(ctx context.Context, a *App) error {
	sessions, err := a.requests.Answered(ctx, time.Now().Add(-answersFor))
	errs := []error{err}
	for _, id := range sessions {
		if !a.Store.Signals.Died(id) {
			continue
		}
		earlier, err := a.Engine.Recovery.TakeUp(ctx, id)
		switch {
		case fault.Is(err, fault.SessionNotFound): // deleted, or its disk is not mounted
		case err != nil:
			errs = append(errs, fmt.Errorf("session %s: %w; belay session interrupt %s ends its turn", id, err, id))
		case earlier != nil:
			a.log.Info("carry out the answer to a turn whose process has died", "session", id, "decision", earlier.Answer.DecisionID)
			errs = append(errs, earlier.Close())
		}
	}
	return errors.Join(errs...)
}
