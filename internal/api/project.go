package api

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/workspace"
	"belay/internal/workspace/coordination"
	"belay/internal/workspace/index"
	"belay/internal/workspace/scan"
	publish "belay/internal/workspace/snapshot"
	"belay/internal/workspace/statusfile"
)

// Projects is how requests get at the contents of project folders.
type Projects struct {
	// Index knows what projects hold. Without one the endpoints about projects are
	// NOT_FOUND.
	Index *index.Set
	// Allow refuses a folder, an absolute path, that callers may not name; nil
	// allows any.
	Allow func(projectRoot string) error
	// Settle completes or takes back what a process that died has left half done of a
	// project's files; it is called before a request reads them. An error says that they may
	// be half changed. nil does nothing.
	Settle func(ctx context.Context, projectRoot string) error
	// Private are belay's own folders. No project may lie in them.
	Private []string
	// Hides says which files of a project are never shown, by their path in it; nil
	// hides none.
	Hides func(projectRoot, path string) bool
	// ViewBytes caps a file that is shown, FileBytes one that is read to check it.
	// Defaults 8 and 16 MiB.
	ViewBytes, FileBytes int64
	// Registers reads and changes dependency registers, Proposals keeps what is
	// proposed for them. Without one its endpoints are NOT_FOUND.
	Registers Registers
	Proposals Proposals
	// Transitions reads the status of deliverables and makes transitions. Without one
	// those endpoints are NOT_FOUND.
	Transitions *statusfile.Writer
	// Snapshots bounds the snapshots that people publish. Without it none are.
	Snapshots *publish.Options
	// Audit is the operator's log, and VerifyAudit checks it. Without them their endpoints
	// are NOT_FOUND.
	Audit       *permit.Audit
	VerifyAudit func(ctx context.Context) (AuditVerdict, error)
	// Coordination reads and records how projects are coordinated. Without it its
	// endpoints are NOT_FOUND.
	Coordination *coordination.Writer
	// OpenTransitions lets callers make transitions to CHECKING and ISSUED who show no
	// token.
	OpenTransitions bool
	// RequireIfMatch refuses to write a register for callers that do not say which
	// content they saw.
	RequireIfMatch bool
	// Recent lists the projects that this user has worked on, the latest first.
	Recent func(ctx context.Context) ([]RecentProject, error)
}

// RecentProject is a project that somebody has worked on.
type RecentProject struct {
	ProjectRoot string `json:"projectRoot"`
	// Name is the folder's.
	Name     string `json:"name"`
	Sessions int    `json:"sessions"`
	// UsedAt is when a session in it changed last, "" when there is none.
	UsedAt string `json:"usedAt,omitempty"`
	// Exists is set while the folder is there.
	Exists bool `json:"exists"`
}

type recentAnswer struct {
	Projects []RecentProject `json:"projects"`
}

type projectBody struct {
	ProjectRoot string `json:"projectRoot" doc:"absolute path of the project folder"`
}

type projectAnswer struct {
	OK          bool   `json:"ok"`
	ProjectRoot string `json:"projectRoot"`
}

// checkProject is the gate of a project folder that a request names: it returns
// the path in normal form.
func (h *Handler) checkProject(root string) (string, error) {
	if h.o.Projects.Allow != nil && filepath.IsAbs(root) {
		if err := h.o.Projects.Allow(root); err != nil {
			return "", err
		}
	}
	return workspace.CheckProject(root, h.o.Projects.Private...)
}

// settledProject is [Handler.checkProject] for a request that reads the project's files. It
// first completes or rolls back what a dead process left half done. Where that fails, the
// request gets the files as they are: the index warns of such a project, and belay doctor says
// what is wrong.
func settledProject(c *call, root string) (string, error) {
	root, err := c.checkProject(root)
	if err != nil || c.o.Projects.Settle == nil {
		return root, err
	}
	err = c.o.Projects.Settle(c.ctx(), root)
	if fault.Is(err, fault.Overloaded) {
		return root, c.ctx().Err() // a change is under way
	}
	if err != nil && c.ctx().Err() == nil {
		c.o.Logger.WarnContext(c.ctx(), "files of a project may be half changed", "project", root, "error", err)
	}
	return root, c.ctx().Err()
}

// projectOf reads the query of a request about a project, and checks and settles the project.
func (c *call) projectOf() (root string, q map[string]string, err error) {
	if q, err = query(c.r); err != nil {
		return "", nil, err
	}
	root, err = settledProject(c, wanted(byRoot, q[byRoot]))
	return root, q, err
}

// current is what a project holds now.
func (h *Handler) current(r *http.Request, root string) (*index.Snapshot, error) {
	if h.o.Projects.Index == nil {
		return nil, notServed("does not look into projects")
	}
	s, err := h.o.Projects.Index.Current(r.Context(), root)
	return s, noIndex(root, err)
}

// noIndex is the error of a project that cannot be looked at.
func noIndex(root string, err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, index.ErrClosed):
		return fault.New(fault.Overloaded, "the server is shutting down")
	}
	return fault.New(fault.WorkingRootInaccessible, "projectRoot cannot be read").With("projectRoot", root).Because(err)
}

// serveCheckProject answers as the original did, but refuses what is malformed.
func serveCheckProject(c *call) error {
	f, err := c.fields(c.w, c.r)
	if err != nil {
		return err
	}
	root := f.text("projectRoot", "free", false)
	if err := f.err(); err != nil {
		return err
	}
	clean, err := c.checkProject(root)
	if err != nil {
		return err
	}
	return reply(c.w, http.StatusOK, projectAnswer{true, clean})
}

// listingKey is under which a layout keeps the body of the listing, or of the short one
// without knowledge types.
type listingKey struct{ short bool }

func serveDeliverables(c *call) error {
	root, s, err := snapshot(c)
	if err != nil {
		return err
	}
	q, err := query(c.r)
	if err != nil {
		return err
	}
	p := params{q: q}
	key := listingKey{short: p.flag("short")}
	if err := p.err(); err != nil {
		return err
	}
	return replyKept(c.w, c.r, s.Layout, key, func() (any, error) {
		l := s.Listing(root, s.At)
		if key.short {
			l.KnowledgeTypes, l.KnowledgeFolders = []scan.ListedType{}, []scan.ListedFolder{}
		}
		return l, nil
	})
}

// snapshot is the project that a request names, and what it holds now.
func snapshot(c *call) (root string, s *index.Snapshot, err error) {
	if root, _, err = c.projectOf(); err == nil {
		s, err = c.current(c.r, root)
	}
	return root, s, err
}

type scopeItem struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Path  string `json:"path"`
}

// scopeAnswer is what can be worked on. Unlike in the listing, knowledge types are
// folders here, as they were in the original.
type scopeAnswer struct {
	ProjectRoot               string      `json:"projectRoot"`
	ScannedAt                 string      `json:"scannedAt"`
	Deliverables              []scopeItem `json:"deliverables"`
	KnowledgeTypes            []scopeItem `json:"knowledgeTypes"`
	HasKnowledgeDecomposition bool        `json:"hasKnowledgeDecomposition"`
	Truncated                 bool        `json:"truncated"`
}

type scopeKey struct{}

func serveScope(c *call) error {
	root, s, err := snapshot(c)
	if err != nil {
		return err
	}
	items := func(folders []*scan.Folder) []scopeItem {
		all := make([]scopeItem, len(folders))
		for i, f := range folders {
			all[i] = scopeItem{ID: f.ID, Label: f.Name, Path: filepath.Join(root, filepath.FromSlash(f.Path))}
		}
		return all
	}
	return replyKept(c.w, c.r, s.Layout, scopeKey{}, func() (any, error) {
		return scopeAnswer{root, scan.Moment(s.At), items(s.Deliverables), items(s.KnowledgeTypes), s.Marker != "", s.Truncated}, nil
	})
}

func listProjects(c *call) (recentAnswer, error) {
	if c.o.Projects.Recent == nil {
		return recentAnswer{}, notServed("does not keep a list of projects")
	}
	all, err := c.o.Projects.Recent(c.ctx())
	return recentAnswer{orEmpty(all)}, err
}
