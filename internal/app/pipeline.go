package app

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/google/uuid"

	"belay/internal/fault"
	"belay/internal/persona"
	"belay/internal/pipeline"
	"belay/internal/turn"
	"belay/internal/workspace/scan"
)

// newPipeline starts agents on the work of projects. The caller closes it.
func newPipeline(a *App, engine turn.Engine) *pipeline.Service {
	rules := newProjects(a.Config).rules
	return pipeline.New(pipeline.Options{
		Engine: engine,
		Listing: func(ctx context.Context, projectRoot string) (scan.Listing, error) {
			s, err := a.index.Current(ctx, projectRoot)
			if err != nil {
				return scan.Listing{}, fault.New(fault.WorkingRootInaccessible, "projectRoot cannot be read").With("projectRoot", projectRoot).Because(err)
			}
			return *s.Listing(projectRoot, s.At), nil
		},
		Quote: func(projectRoot, model string) (pipeline.Quote, error) {
			known, err := taskRules{a}.priced(projectRoot, turn.Choice{Model: model})
			q := pipeline.Quote{Model: known.Model, LimitUSD: known.Limit, Bounded: known.Known}
			if model != "" {
				q.Model = model
			}
			if price, ok := prices(a.Config).Price(q.Model); ok {
				q.Price = &price
			}
			return q, err
		},
		Govern: func(projectRoot string, p persona.Persona, metadata json.RawMessage) (persona.Decision, error) {
			r, err := rules(projectRoot)
			return persona.Govern(a.Root, p, metadata, r.SubagentsEnabled), err
		},
		NewID:   uuid.NewString,
		LockDir: filepath.Join(a.Config.Paths.StateDir, "runs"),
		Logger:  a.log,
	})
}
