//go:build crashtest

package crash

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"belay/internal/app"
	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn"
)

// overviewScenarios are about what people set of projects and sessions beside turns.
var overviewScenarios = []scenario{
	{
		name: "known project",
		work: func(w *world, a *app.App) {
			w.try(a.Store.Catalog().AddProject(w.project))
			w.acknowledged("the project", isKnown)
		},
	},
	{
		name:  "changed session",
		setup: first,
		work: func(w *world, a *app.App) {
			_, err := a.Engine.Update(context.Background(), w.known, turn.SessionChange{Title: new("Bearings"), Mode: new("plan"), Model: new("scripted")})
			w.try(err)
			w.acknowledged("the change", isNamed)
			w.turn(a, turn.Request{SessionID: w.known, Message: "two"})
		},
	},
	{
		name:   "input taken back",
		script: waits,
		setup:  first,
		work: func(w *world, a *app.App) {
			ctx := context.Background()
			k := w.begin(a, turn.Request{SessionID: w.known, Message: "wait"})
			said := false
			w.end(k, func(e event.Event) {
				if e.Type == event.ChatDelta && !said {
					said = true
					w.try(a.Engine.Steer(ctx, turn.SteerRequest{SessionID: w.known, Message: "take back", Mode: session.FollowUp}))
					inputs, err := a.Engine.Inputs(ctx, w.known)
					w.try(err)
					for _, in := range inputs {
						w.try(a.Engine.DropInput(ctx, w.known, in.ID))
					}
					w.survivesKill("the drop", func(w *world, a *app.App) error {
						inputs, err := a.Engine.Inputs(ctx, w.known)
						if err == nil && len(inputs) > 0 {
							err = errors.New("the input is there again")
						}
						return err
					})
					w.try(a.Engine.Interrupt(ctx, w.known, ""))
				}
			})
		},
	},
}

// isNamed checks that the session is as it was set.
func isNamed(w *world, a *app.App) error {
	rec, err := a.Engine.Get(context.Background(), w.known)
	if err == nil && (rec.Title != "Bearings" || rec.Mode != "plan" || rec.PreferredModel != "scripted") {
		err = fmt.Errorf("the session is %+v", rec)
	}
	return err
}

// isKnown checks that the project is one of the known ones.
func isKnown(w *world, a *app.App) error {
	if !slices.Contains(a.Store.Catalog().Projects(), w.project) {
		return errors.New("the project is not known")
	}
	return nil
}
