package api_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/pipeline"
	"belay/internal/workspace/scan"
)

// Requests by the rules of workspace 14.3 and 14.4.
func TestPipelineTranscripts(t *testing.T) { transcripts(t, "pipeline") }

// samplePipeline starts turns of the engine in memory, whose model costs $2 per million
// tokens. The options are read when the first request comes.
func samplePipeline(t *testing.T, o *api.Options, engine *apitest.Engine) api.Pipeline {
	t.Helper()
	price := model.Price{Input: 2}
	s := pipeline.New(pipeline.Options{
		Engine: engine, Retry: time.Millisecond, NewID: func() string { return "1" },
		Listing: func(ctx context.Context, root string) (scan.Listing, error) {
			now, err := o.Projects.Index.Current(ctx, root)
			if err != nil {
				return scan.Listing{}, err
			}
			return *now.Listing(root, now.At), nil
		},
		Quote: func(_, asked string) (pipeline.Quote, error) {
			if asked != "" {
				return pipeline.Quote{Model: asked}, nil
			}
			return pipeline.Quote{Model: "scripted", Price: &price}, nil
		},
		Govern: func(string, persona.Persona, json.RawMessage) (persona.Decision, error) {
			return persona.Decision{Gate: persona.GateEnvironment, Reason: "delegation is off", AllowlistedSubagents: []string{}, DelegatedSubagents: []string{}}, nil
		},
	})
	t.Cleanup(s.Close)
	return quiet{s}
}

// quiet shows batches when their turns have ended, so that answers are always the same.
type quiet struct{ *pipeline.Service }

func (q quiet) Batches(ctx context.Context, root string, most int) ([]pipeline.Batch, error) {
	for {
		all, err := q.Service.Batches(ctx, root, most)
		if err != nil || ctx.Err() != nil || !slices.ContainsFunc(all, func(b pipeline.Batch) bool { return b.Live }) {
			return all, err
		}
		time.Sleep(time.Millisecond)
	}
}

func (q quiet) Batch(ctx context.Context, root, id string) (pipeline.Batch, error) {
	if _, err := q.Batches(ctx, root, 100); err != nil {
		return pipeline.Batch{}, err
	}
	return q.Service.Batch(ctx, root, id)
}
