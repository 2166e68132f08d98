package api

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"belay/internal/fault"
	"belay/internal/overview"
)

// Overview shows all projects and sessions; [overview.Overview] does.
type Overview interface {
	Sessions(ctx context.Context, q overview.Query) (overview.Page, error)
	Projects(ctx context.Context) ([]overview.Project, error)
	// Touching lists the sessions that changed files in a folder of a project.
	Touching(ctx context.Context, projectRoot, folder string) ([]overview.Touching, bool, error)
	// Root is the folder of a project's id, Add makes a folder one of the projects.
	Root(id string) (string, error)
	Add(ctx context.Context, projectRoot string) (overview.Project, error)
	// Activity lists what happened in a project, the latest first.
	Activity(ctx context.Context, q overview.ActivityQuery) (overview.Activity, error)
	// Subscribe reports changes after a position.
	Subscribe(ctx context.Context, position string) (*overview.Subscription, error)
}

var _ Overview = (*overview.Overview)(nil)

type allProjectsAnswer struct {
	Projects []overview.Project `json:"projects"`
}

type addedProjectAnswer struct {
	Project overview.Project `json:"project"`
}

type addProjectBody struct {
	Path string `json:"path" doc:"absolute path of the folder"`
}

// overviewRoutes are the endpoints about all projects and sessions.
func overviewRoutes() []route {
	return []route{
		{method: get, path: "/api/harness/sessions", name: "listAllSessions", summary: "The sessions of all projects, the one that was used last first.",
			params: []param{
				{in: "query", name: "query", doc: "words that all occur in title, id, persona or the project's name, at most 200 characters"},
				{in: "query", name: "projectRoot", doc: "absolute path of the one project folder; all projects without it"},
				{in: "query", name: "state", doc: "idle, running, waiting (a call waits for a person) or damaged; all without it"},
				{in: "query", name: "batch", doc: "only the sessions of this batch of a pipeline"},
				{in: "query", name: "limit", integer: true, doc: "at most so many, 1 to 200; 50 without it"},
				{in: "query", name: "cursor", doc: "the nextCursor of the page before"}},
			action: answers(listAllSessions), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.StorageFailure})},
		{method: get, path: "/api/projects", name: "listAllProjects", summary: "The known projects with their ids, the one that was used last first.",
			action: answers(listAllProjects), errors: []fault.Type{fault.NotFound, fault.StorageFailure}},
		{method: post, path: "/api/projects", name: "addProject", summary: "Make a folder a known project. It keeps its id.",
			action: takes(addProject), errors: errorsOf(projectErrors, rootErrors, []fault.Type{fault.NotFound, fault.StorageFailure})},
	}
}

// all is the overview, or why there is none.
func (h *Handler) all() (Overview, error) {
	if h.o.Overview == nil {
		return nil, notServed("does not list all sessions").
			WithHint("GET /api/harness/session/list lists those of one project")
	}
	return h.o.Overview, nil
}

// maxQuery is how many characters a search has at most.
const maxQuery = 200

func listAllSessions(c *call) (overview.Page, error) {
	all, err := c.all()
	if err != nil {
		return overview.Page{}, err
	}
	q, err := query(c.r)
	if err != nil {
		return overview.Page{}, err
	}
	o := overview.Query{Text: trim(q["query"]), State: overview.State(trim(q["state"])), Batch: trim(q["batch"]), Cursor: q["cursor"]}
	p := params{q: q}
	if len([]rune(o.Text)) > maxQuery {
		p.bad("query", "must have at most "+strconv.Itoa(maxQuery)+" characters")
	}
	if states := overview.States(); o.State != "" && !slices.Contains(states, string(o.State)) {
		p.bad("state", "must be one of "+strings.Join(states, ", "))
	}
	o.Limit = p.limit(0, overview.MaxPage)
	if err := p.err(); err != nil {
		return overview.Page{}, err
	}
	if root := wanted(byRoot, q[byRoot]); root != "" {
		if o.Project, err = c.checkProject(root); err != nil {
			return overview.Page{}, err
		}
	}
	return all.Sessions(c.ctx(), o)
}

func listAllProjects(c *call) (allProjectsAnswer, error) {
	all, err := c.all()
	if err != nil {
		return allProjectsAnswer{}, err
	}
	projects, err := all.Projects(c.ctx())
	return allProjectsAnswer{orEmpty(projects)}, err
}

func addProject(c *call, b *addProjectBody) (addedProjectAnswer, error) {
	all, err := c.all()
	if err != nil {
		return addedProjectAnswer{}, err
	}
	root, err := c.checkProject(b.Path)
	if err != nil {
		return addedProjectAnswer{}, err
	}
	p, err := all.Add(c.ctx(), root)
	return addedProjectAnswer{p}, err
}
