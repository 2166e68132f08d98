package api

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"belay/internal/fault"
	"belay/internal/tool/files"
	"belay/internal/workspace/approval"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/repository"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/view"
)

// What one answer about commits has at most.
const (
	defaultCommits = 20
	maxCommits     = 100
	// maxCommitDiff is the length of the diff, in bytes.
	maxCommitDiff = 1 << 20
	// commitsTime bounds the reading of a repository.
	commitsTime = 10 * time.Second
)

// commitRow is a commit as people recognise it.
type commitRow struct {
	SHA     string `json:"sha"`
	Author  string `json:"author"`
	Date    string `json:"date"`
	Subject string `json:"subject"`
}

// commitsAnswer is what a person looks at before they approve a commit.
type commitsAnswer struct {
	ProjectRoot string `json:"projectRoot"`
	Path        string `json:"path" doc:"the folder, relative to the project"`
	// Repository is false where the project is in no git repository, or in one that may
	// not be read; Problem says why what follows is missing or incomplete.
	Repository bool   `json:"repository"`
	Problem    string `json:"problem,omitempty"`

	Head        *commitRow      `json:"head,omitempty" doc:"the commit that is checked out"`
	Commits     []commitRow     `json:"commits" doc:"those that changed something in the folder, the youngest first"`
	More        bool            `json:"more,omitempty" doc:"there may be others"`
	Uncommitted []approval.File `json:"uncommitted" doc:"files of the folder that differ from head"`
	Unseen      bool            `json:"unseen,omitempty" doc:"the folder has more than was compared"`
	Since       *sinceAnswer    `json:"since,omitempty" doc:"what changed since the last transition; absent where no commit has the deliverable's status"`
}

// sinceAnswer is what changed in a deliverable since it came to its state.
type sinceAnswer struct {
	Commit  commitRow       `json:"commit" doc:"the commit of the transition, or head where pending is set"`
	State   lifecycle.State `json:"state"`
	Pending bool            `json:"pending,omitempty" doc:"the transition to the state that the deliverable has is in no commit yet"`
	Files   int             `json:"files"`
	Diff    string          `json:"diff" doc:"unified, against the files as they are now, committed or not; at most 1 MiB"`
	Left    int             `json:"left,omitempty" doc:"how many files differ, or may, that the diff does not have"`
}

// commitRoutes is the endpoint about what may be approved.
func commitRoutes() []route {
	return []route{
		{method: get, path: "/api/project/commits", name: "listCommits", summary: "What a person looks at before they approve a commit: recent commits of a folder, what is not committed, and the diff since the deliverable's last transition.",
			params: []param{workingRoot,
				{in: "query", name: "path", doc: "the folder, relative to the project or absolute; the project without it"},
				{in: "query", name: "limit", integer: true, doc: "at most so many commits, 1 to 100; 20 without it"}},
			action: answers(listCommits), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound})},
	}
}

func listCommits(c *call) (a commitsAnswer, err error) {
	root, q, err := c.projectOf()
	if err != nil {
		return a, err
	}
	p := params{q: q}
	limit := p.limit(defaultCommits, maxCommits)
	if err := p.err(); err != nil {
		return a, err
	}
	a = commitsAnswer{ProjectRoot: root, Path: inside(root, wanted("path", q["path"])), Commits: []commitRow{}, Uncommitted: []approval.File{}}
	if a.Path == "." {
		a.Path = ""
	}
	hides := c.hides(root)
	if a.Path != "" && (!filepath.IsLocal(filepath.FromSlash(a.Path)) || filepath.ToSlash(filepath.Clean(a.Path)) != a.Path || !isFolder(c.ctx(), root, a.Path, hides)) {
		return a, fault.New(fault.NotFound, "the project has no such folder: %q", fault.Clip(a.Path)).With("path", fault.Clip(a.Path)).WithHint("name it relative to the project, with slashes")
	}
	ctx, cancel := context.WithTimeout(c.ctx(), commitsTime)
	defer cancel()
	seen, err := approval.Look(ctx, approval.Options{Project: root, Folder: a.Path, Commits: limit, Hides: hides, Allow: c.o.Projects.Allow})
	if c.ctx().Err() != nil {
		return a, c.ctx().Err()
	}
	a.set(seen, err)
	return a, nil
}

// set takes over what was seen, and why it was not more.
func (a *commitsAnswer) set(seen approval.Seen, err error) {
	a.Repository = true
	switch {
	case err == nil && seen.Head == nil:
		a.Problem = "the repository has no commit yet"
	case errors.Is(err, approval.ErrNoRepository), errors.Is(err, approval.ErrOutside):
		a.Repository, a.Problem = false, err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		a.Problem = "the repository is too large to be read in time"
	case errors.Is(err, repository.ErrTooMuch):
		a.Problem = "the repository is too large: only a part of it was read"
	case err != nil:
		a.Problem = "the repository cannot be read: " + err.Error()
	}
	if seen.Head != nil {
		a.Head = new(rowOf(*seen.Head))
	}
	for _, l := range seen.Commits {
		a.Commits = append(a.Commits, rowOf(l))
	}
	a.More, a.Unseen = seen.More, seen.Unseen
	a.Uncommitted = append(a.Uncommitted, seen.Uncommitted...)
	if s := seen.Since; s != nil {
		a.Since = &sinceAnswer{Commit: rowOf(s.Commit), State: s.State, Pending: s.Pending, Files: len(s.Changes), Left: s.More}
		a.Since.Diff, s.More = diffOf(s.Changes)
		a.Since.Left += s.More
	}
}

// diffOf is the unified diff of changes, and how many of them it leaves out.
func diffOf(changes []approval.Change) (diff string, left int) {
	for i, change := range changes {
		if len(diff) >= maxCommitDiff {
			return diff, len(changes) - i
		}
		if change.Large {
			diff += change.Path + ": too large to compare\n"
			continue
		}
		diff += files.Compare(change.Path, change.Before, change.After)
	}
	return diff, 0
}

func rowOf(l repository.Logged) commitRow {
	return commitRow{SHA: l.ID, Author: l.Author, Date: scan.Moment(l.Time), Subject: l.Subject}
}

// isFolder reports whether a project has a folder that callers may see, which no link
// leads to.
func isFolder(ctx context.Context, root, rel string, hides func(string) bool) bool {
	_, err := view.Tree(ctx, root, view.TreeOptions{Folder: rel, Depth: 1, Limit: 1, Hides: hides})
	return err == nil
}
