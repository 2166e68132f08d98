//go:build crashtest

package crash

import (
	"errors"
	"slices"

	"belay/internal/app"
)

// overviewScenarios are about what people set of projects and sessions beside turns.
var overviewScenarios = []scenario{
	{
		name: "known project",
		work: func(w *world, a *app.App) {
			w.try(a.Store.AddProject(w.project))
			w.acknowledged("the project", isKnown)
		},
	},
}

// isKnown checks that the project is one of the known ones.
func isKnown(w *world, a *app.App) error {
	if !slices.Contains(a.Store.Projects(), w.project) {
		return errors.New("the project is not known")
	}
	return nil
}
