package overview

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/session"
)

// Project is a folder in which somebody works.
type Project struct {
	// ID stands for the folder in addresses: see [ProjectID].
	ID string `json:"id"`
	// Name is the folder's.
	Name string `json:"name"`
	Path string `json:"path"`
	// UsedAt is when a session in it was used last, absent where there is none.
	UsedAt        time.Time `json:"usedAt,omitzero"`
	Sessions      int       `json:"sessions"`
	OpenQuestions int       `json:"openQuestions"`
	// Exists is set while the folder is there.
	Exists bool `json:"exists"`
	// Problem is why its sessions cannot be listed, absent where they can.
	Problem string `json:"problem,omitempty"`
}

// Root returns the folder of a project. An id that no known project has is NOT_FOUND.
func (v *Overview) Root(id string) (string, error) {
	if idPattern.MatchString(id) {
		for _, root := range v.roots() {
			if v.idOf(root) == id {
				return root, nil
			}
		}
	}
	return "", fault.New(fault.NotFound, "no project has the id %q", fault.Clip(id)).With("project", fault.Clip(id)).
		WithHint("take an id from the list of projects")
}

// Projects lists the known projects, the one that was used last first.
func (v *Overview) Projects(ctx context.Context) ([]Project, error) {
	open, err := v.questions(ctx)
	if err != nil {
		return nil, err
	}
	all := []Project{}
	for _, root := range v.roots() {
		p, err := v.project(ctx, root, open)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.Problem = problemOf(err)
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Project) int { return cmp.Or(b.UsedAt.Compare(a.UsedAt), strings.Compare(a.Path, b.Path)) })
	return all, nil
}

// project is one of them.
func (v *Overview) project(ctx context.Context, root string, open asked) (Project, error) {
	info, err := os.Stat(root)
	p := Project{
		ID: v.idOf(root), Name: filepath.Base(root), Path: root, OpenQuestions: open.inProject[v.idOf(root)],
		Exists: err == nil && info.IsDir(),
	}
	rows, err := v.o.Sessions.Rows(ctx, root)
	for _, r := range rows {
		p.Sessions++
		if r.Used.After(p.UsedAt) {
			p.UsedAt = r.Used
		}
	}
	return p, err
}

// problemOf is an error of one project in a list of many, "" for none.
func problemOf(err error) string {
	if err == nil {
		return ""
	}
	f := fault.From(err)
	return f.Message + "; let the user that belay runs as read its folder .belay"
}

// Add makes a folder a known project, which is on disk when Add returns. The caller has
// checked that it may be one.
func (v *Overview) Add(ctx context.Context, projectRoot string) (Project, error) {
	if err := v.o.Sessions.AddProject(projectRoot); err != nil {
		return Project{}, err
	}
	open, err := v.questions(ctx)
	if err != nil {
		return Project{}, err
	}
	return v.project(ctx, v.named(projectRoot), open)
}

// asked counts the questions that wait for a person, by session and by the project's id.
type asked struct {
	inSession, inProject map[string]int
}

// questions are those that wait now, those of runs among them.
func (v *Overview) questions(ctx context.Context) (asked, error) {
	a := asked{map[string]int{}, map[string]int{}}
	open, err := v.o.Questions.List(ctx, "")
	if err != nil {
		return a, err
	}
	for _, q := range open {
		a.inSession[q.SessionID]++
		a.inProject[v.idOf(q.ProjectRoot)]++
	}
	if v.o.Runs == nil {
		return a, nil
	}
	waits, err := v.o.Runs.Questions(ctx)
	for _, w := range waits {
		a.inProject[v.idOf(w.Project)]++
	}
	return a, err
}

// digest is what is known of a session as it is in a row.
func (v *Overview) digest(r session.Row) (*session.Digest, error) {
	v.mu.Lock()
	before := v.digests[r.ID]
	v.mu.Unlock()
	if before.digest != nil && before.version == r.Version {
		return before.digest, nil
	}
	d, err := v.o.Sessions.Digest(r, before.digest)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.digests[r.ID] = known{r.Version, d}
	v.mu.Unlock()
	return d, nil
}

// forget drops what is known of sessions that are not there any more.
func (v *Overview) forget(rows []session.Row) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.digests) <= len(rows) {
		return
	}
	there := make(map[string]bool, len(rows))
	for _, r := range rows {
		there[r.ID] = true
	}
	for id := range v.digests {
		if !there[id] {
			delete(v.digests, id)
		}
	}
}
