package api

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	publish "belay/internal/workspace/snapshot"
	"belay/internal/workspace/view"
)

type snapshotsAnswer struct {
	ProjectRoot string              `json:"projectRoot"`
	Snapshots   []publish.Published `json:"snapshots"`
	// More is set where there are more than are listed.
	More bool `json:"more,omitempty"`
}

type snapshotAnswer struct {
	ProjectRoot string `json:"projectRoot"`
	Path        string `json:"path"`
	// Whole is set where every file is as it was published, and nothing was added.
	Whole    bool              `json:"whole"`
	Findings []finding.Finding `json:"findings"`
	// More is set where there are more findings than are listed.
	More bool `json:"more,omitempty"`
}

type comparisonAnswer struct {
	ProjectRoot string `json:"projectRoot"`
	Path        string `json:"path"`
	// Against is the snapshot that it was compared with, "" for what is loose in the tool root.
	Against string `json:"against"`
	publish.Difference
}

type publishBody struct {
	ProjectRoot string `json:"projectRoot" doc:"absolute path of the project folder"`
	ToolRoot    string `json:"toolRoot" doc:"the tool root, or a folder in one, relative to the project"`
	Label       string `json:"label" doc:"the first part of the snapshot's name"`
	From        string `json:"from,omitempty" doc:"the folder to publish, relative to the project; what is loose in the tool root without it"`
	By          string `json:"by,omitempty" doc:"who says so, for the audit log"`
}

// snapshotRoutes are the endpoints about published copies of derived output.
func snapshotRoutes() []route {
	folder := param{in: "query", name: "path", required: true, doc: "the snapshot's folder, relative to the project or absolute"}
	return []route{
		{method: get, path: "/api/project/snapshots", name: "listSnapshots", summary: "The snapshots in a project's tool roots, the newest of each first.",
			params: []param{workingRoot}, action: answers(listSnapshots), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound})},
		{method: post, path: "/api/project/snapshots", name: "publishSnapshot", summary: "Publish a folder of a project as a snapshot, as belay snapshot new does.", access: operator,
			action: takes(publishSnapshot), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.Overloaded, fault.StorageFailure, fault.WorkspaceFailure})},
		{method: get, path: "/api/project/snapshot", name: "verifySnapshot", summary: "Whether a snapshot is as it was published: every file by its checksum, and nothing besides.",
			params: []param{workingRoot, folder}, action: answers(verifySnapshot), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound})},
		{method: get, path: "/api/project/snapshot/compare", name: "compareSnapshot", summary: "What changed since a snapshot: in the tool root's loose files, or in another snapshot.",
			params: []param{workingRoot, folder, {in: "query", name: "against", doc: "the name of another snapshot of the same tool root; what is loose in the tool root without it"}},
			action: answers(compareSnapshot), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound})},
	}
}

func listSnapshots(c *call) (a snapshotsAnswer, err error) {
	root, _, err := c.projectOf()
	if err != nil {
		return a, err
	}
	all, more, err := publish.Publications(c.ctx(), root, c.hides(root))
	return snapshotsAnswer{root, orEmpty(all), more}, noIndex(root, err)
}

// maxSnapshotFindings is how many findings of one snapshot are sent.
const maxSnapshotFindings = 500

func verifySnapshot(c *call) (a snapshotAnswer, err error) {
	root, dir, _, err := publishedOf(c)
	if err != nil {
		return a, err
	}
	found, err := publish.Verify(c.ctx(), root, dir)
	if err != nil {
		return a, err
	}
	a = snapshotAnswer{ProjectRoot: root, Path: dir, Whole: len(found) == 0, Findings: orEmpty(found)}
	if len(found) > maxSnapshotFindings {
		a.Findings, a.More = found[:maxSnapshotFindings], true
	}
	return a, nil
}

func compareSnapshot(c *call) (a comparisonAnswer, err error) {
	root, dir, q, err := publishedOf(c)
	if err != nil {
		return a, err
	}
	against := trim(q["against"])
	d, err := publish.Compare(c.ctx(), root, dir, against)
	return comparisonAnswer{root, dir, against, d}, err
}

// publishedOf is the gate of a snapshot that a request names.
func publishedOf(c *call) (root, dir string, q map[string]string, err error) {
	if root, q, err = c.projectOf(); err != nil {
		return "", "", nil, err
	}
	p := params{q: q}
	if p.required("path"); p.err() != nil {
		return "", "", nil, p.err()
	}
	dir = path.Clean(inside(root, q["path"]))
	if err := folderIn(c, root, dir); err != nil || !layout.IsSnapshot(path.Base(dir)) {
		return "", "", nil, fault.New(fault.NotFound, "the project has no such snapshot: %q", fault.Clip(dir)).With("path", fault.Clip(dir)).
			WithHint("GET /api/project/snapshots lists those that are there").Because(err)
	}
	return root, dir, q, nil
}

// folderIn refuses what is no folder of a project, is hidden, or is reached by a link.
func folderIn(c *call, project, dir string) error {
	if !filepath.IsLocal(filepath.FromSlash(dir)) || view.Hidden(c.hides(project), dir) {
		return fs.ErrNotExist
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer root.Close()
	folder, err := durable.OpenFolder(root, dir)
	if err != nil {
		return err
	}
	return folder.Close()
}

// publishSnapshot publishes what a person asked for. Nobody else of belay changes the
// project meanwhile.
func publishSnapshot(c *call, b *publishBody) (s publish.Snapshot, err error) {
	if c.o.Projects.Snapshots == nil {
		return s, notServed("publishes no snapshots")
	}
	root, err := settledProject(c, b.ProjectRoot)
	if err != nil {
		return s, err
	}
	t := publish.Target{Root: root, ToolRoot: path.Clean(inside(root, b.ToolRoot)), Label: trim(b.Label), By: publish.Author{Name: cmp.Or(trim(b.By), byOperator)}}
	if err := t.Check(); err != nil {
		return s, err
	}
	from, loose := t.ToolRoot, true
	if b.From != "" {
		from, loose = path.Clean(inside(root, b.From)), false
	}
	err = folderIn(c, root, from)
	if err != nil && !(loose && errors.Is(err, fs.ErrNotExist)) { // a tool root may still have to be made
		return s, fault.New(fault.InvalidRequest, "from is no folder of the project").With("field", "from").Because(err)
	}
	o := *c.o.Projects.Snapshots
	return publish.Publish(c.ctx(), t, o, copied(c, root, from, loose, o))
}

// copied copies a folder of a project, without what is hidden.
func copied(c *call, project, from string, loose bool, o publish.Options) func(*os.Root) error {
	return func(dir *os.Root) error {
		root, err := workspace.OpenProject(project)
		if err != nil {
			return err
		}
		defer root.Close()
		folder, err := durable.OpenFolder(root, from)
		if err != nil {
			return fault.New(fault.InvalidRequest, "from is no folder of the project").With("field", "from").Because(err)
		}
		defer folder.Close()
		hides := c.hides(project)
		return publish.CopySource(c.ctx(), o, publish.Source{Root: folder, Loose: loose, Skip: func(name string, _ bool) bool { return view.Hidden(hides, path.Join(from, name)) }})(dir)
	}
}
