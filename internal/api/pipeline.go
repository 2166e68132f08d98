package api

import (
	"context"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/overview"
	"belay/internal/pipeline"
	"belay/internal/turn"
)

// Pipeline starts agents on the work of a project; [pipeline.Service] does.
type Pipeline interface {
	Options(ctx context.Context, projectRoot string) (pipeline.Choices, error)
	Preview(ctx context.Context, r pipeline.Request) (pipeline.Preview, error)
	Start(ctx context.Context, r pipeline.Request) (pipeline.Started, error)
	Batches(ctx context.Context, projectRoot string, most int) ([]pipeline.Batch, error)
	Batch(ctx context.Context, projectRoot, id string) (pipeline.Batch, error)
	// Continue starts the turns of a batch that were not started, Stop starts no more.
	Continue(ctx context.Context, projectRoot, id string) error
	Stop(projectRoot, id string)
}

var _ Pipeline = (*pipeline.Service)(nil)

type pipelineBody struct {
	ProjectRoot   string    `json:"projectRoot" doc:"absolute path of the project folder"`
	Category      string    `json:"category" is:"free" doc:"DECOMP, PREP, TASK or AUDIT"`
	Type          string    `json:"type" is:"free" doc:"a type of the category; of TASK the task agent"`
	ScopeMode     string    `json:"scopeMode,omitempty" is:"free" doc:"of TASK: DELIVERABLES (without it) or KNOWLEDGE_TYPES"`
	KnowledgeType string    `json:"knowledgeType,omitempty" doc:"the knowledge type, where scopeMode is KNOWLEDGE_TYPES"`
	Targets       []string  `json:"targets,omitempty" doc:"keys PKG::ID of the deliverables to work on, at most 200; each gets a session of its own"`
	Note          string    `json:"note,omitempty" doc:"what to add to the message, at most 4096 bytes"`
	AtOnce        *int      `json:"atOnce,omitempty" doc:"how many sessions work at the same time, 1 to 8; 2 without it"`
	Opts          turn.Opts `json:"opts,omitzero" doc:"options of the turns, as in POST /api/harness/turn, but for the persona"`
	DryRun        bool      `json:"dryRun,omitempty" doc:"only say what would be sent, and what it may cost"`
}

type pipelineAnswer struct {
	Preview *pipeline.Preview `json:"preview,omitempty"`
	Started *pipeline.Started `json:"started,omitempty"`
}

type batchBody struct {
	ProjectRoot string `json:"projectRoot" doc:"absolute path of the project folder"`
	Batch       string `json:"batch" doc:"the batch's id"`
}

type batchesAnswer struct {
	ProjectRoot string           `json:"projectRoot"`
	Batches     []pipeline.Batch `json:"batches"`
}

type batchAnswer struct {
	Batch pipeline.Batch `json:"batch"`
	// Sessions are those of the batch, by title.
	Sessions []overview.Session `json:"sessions"`
}

// listedBatches is how many batches an answer lists.
const listedBatches = 50

// pipelineRoutes are the endpoints that start agents on a project's work.
func pipelineRoutes() []route {
	found := errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.InstructionRootInvalid, fault.Overloaded})
	starts := errorsOf(found, optsErrors, rootErrors, []fault.Type{fault.IdempotencyConflict, fault.BudgetExceeded})
	return []route{
		{method: get, path: "/api/pipeline/options", name: "pipelineOptions", summary: "What work can be started in a project. What cannot is listed with the reason.",
			params: []param{workingRoot}, action: answers(pipelineOptions), errors: found},
		{method: post, path: "/api/pipeline/start", name: "startPipeline", summary: "Start an agent on a project or on chosen deliverables, or say what that would send. Nothing is started when anything is wrong.",
			params: []param{{in: "header", name: "Idempotency-Key", doc: "1 to 200 visible ASCII characters; the same key and body start once"}},
			action: takes(startPipeline), errors: starts},
		{method: get, path: "/api/pipeline/batches", name: "listBatches", summary: "What was started in a project, the latest 50 first.",
			params: []param{workingRoot}, action: answers(listBatches), errors: found},
		{method: get, path: "/api/pipeline/batch", name: "getBatch", summary: "The sessions of one start: how far each is, what it asks and what it cost.",
			params: []param{workingRoot, {in: "query", name: "batch", required: true, doc: "the batch's id"}},
			action: answers(getBatch), errors: errorsOf(found, []fault.Type{fault.StorageFailure})},
		{method: post, path: "/api/pipeline/batch/continue", name: "continueBatch", summary: "Start the sessions of a batch that were not started, such as after the server ended.",
			action: takes(continueBatch), errors: starts},
		{method: post, path: "/api/pipeline/batch/stop", name: "stopBatch", summary: "Start no more sessions of a batch. Those that run go on.",
			action: takes(stopBatch), errors: found},
	}
}

// pipelinesOf is what starts work, or why there is none.
func pipelinesOf(h *Handler) (Pipeline, error) {
	if h.o.Pipeline == nil {
		return nil, notServed("starts no pipelines")
	}
	return h.o.Pipeline, nil
}

// pipelineOf reads a request about the pipeline of a project.
func pipelineOf(c *call) (p Pipeline, root string, q map[string]string, err error) {
	if p, err = pipelinesOf(c.Handler); err == nil {
		root, q, err = c.projectOf()
	}
	return p, root, q, err
}

func pipelineOptions(c *call) (pipeline.Choices, error) {
	p, root, _, err := pipelineOf(c)
	if err != nil {
		return pipeline.Choices{}, err
	}
	return p.Options(c.ctx(), root)
}

func startPipeline(c *call, b *pipelineBody) (a pipelineAnswer, err error) {
	p, err := pipelinesOf(c.Handler)
	if err != nil {
		return a, err
	}
	root, err := settledProject(c, b.ProjectRoot)
	if err != nil {
		return a, err
	}
	r := pipeline.Request{
		ProjectRoot: root, Category: b.Category, Type: b.Type, ScopeMode: b.ScopeMode, KnowledgeType: b.KnowledgeType,
		Targets: b.Targets, Note: b.Note, Opts: b.Opts,
	}
	if b.AtOnce != nil {
		// 0 stands for the default in Go alone.
		if r.AtOnce = *b.AtOnce; r.AtOnce == 0 {
			r.AtOnce = -1
		}
	}
	if b.DryRun {
		v, err := p.Preview(c.ctx(), r)
		return pipelineAnswer{Preview: &v}, err
	}
	if c.draining.Load() {
		return a, errDraining
	}
	if r.Key, err = idempotencyKeyOf(c); err != nil {
		return a, err
	}
	s, err := p.Start(c.ctx(), r)
	return pipelineAnswer{Started: &s}, err
}

// idempotencyKeyOf is the key of a request, "" for none.
func idempotencyKeyOf(c *call) (string, error) {
	keys := c.r.Header["Idempotency-Key"]
	switch {
	case len(keys) == 0:
		return "", nil
	case len(keys) > 1 || !idempotencyKey.MatchString(keys[0]):
		return "", fault.Invalid([]fault.Problem{{Field: "Idempotency-Key", Message: idempotencyRule}})
	}
	return keys[0], nil
}

func listBatches(c *call) (a batchesAnswer, err error) {
	p, root, _, err := pipelineOf(c)
	if err != nil {
		return a, err
	}
	all, err := p.Batches(c.ctx(), root, listedBatches)
	return batchesAnswer{root, orEmpty(all)}, err
}

func getBatch(c *call) (a batchAnswer, err error) {
	p, root, q, err := pipelineOf(c)
	if err != nil {
		return a, err
	}
	asked := params{q: q}
	id := asked.required("batch")
	if err := asked.err(); err != nil {
		return a, err
	}
	return shownBatch(c, p, root, id)
}

// shownBatch is a batch with its sessions, as an answer.
func shownBatch(c *call, p Pipeline, root, id string) (a batchAnswer, err error) {
	all, err := c.all()
	if err != nil {
		return a, err
	}
	if a.Batch, err = p.Batch(c.ctx(), root, id); err != nil {
		return a, err
	}
	page, err := all.Sessions(c.ctx(), overview.Query{Project: root, Batch: id, Limit: pipeline.MaxTargets})
	if err != nil {
		return a, err
	}
	a.Sessions = orEmpty(page.Sessions)
	slices.SortStableFunc(a.Sessions, func(x, y overview.Session) int { return strings.Compare(x.Title, y.Title) })
	return a, nil
}

func continueBatch(c *call, b *batchBody) (a batchAnswer, err error) {
	p, root, err := pipelineIn(c, b)
	if err != nil {
		return a, err
	}
	if c.draining.Load() {
		return a, errDraining
	}
	if err := p.Continue(c.ctx(), root, b.Batch); err != nil {
		return a, err
	}
	return shownBatch(c, p, root, b.Batch)
}

func stopBatch(c *call, b *batchBody) (a batchAnswer, err error) {
	p, root, err := pipelineIn(c, b)
	if err != nil {
		return a, err
	}
	if _, err := p.Batch(c.ctx(), root, b.Batch); err != nil {
		return a, err
	}
	p.Stop(root, b.Batch)
	return shownBatch(c, p, root, b.Batch)
}

// pipelineIn reads a request about a batch.
func pipelineIn(c *call, b *batchBody) (p Pipeline, root string, err error) {
	if p, err = pipelinesOf(c.Handler); err == nil {
		root, err = c.checkProject(b.ProjectRoot)
	}
	return p, root, err
}
