package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"time"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/workspace/repository"
)

// Limits of what is said of a repository.
const (
	maxGitLines = 40
	maxGitRefs  = 2000 // that are compared
	maxGitFile  = 32 << 20
	gitTime     = 5 * time.Second
)

// gitChange is what a command did to one repository. It reads objects itself and runs no
// program: the repository may come from anybody, and so may what the command put there.
type gitChange struct {
	ctx     context.Context //nolint:containedctx // of one look
	root    *os.Root
	repo    string
	changes map[string]*journal.Change // by the path in the repository
	// worktree are the changes of files outside repositories, by their path.
	worktree map[string]*journal.Change
	// made is the folder in the project with what the command made of files.
	made    string
	objects *repository.Objects
	lines   []string
	// diff gets what new commits hold and the work tree does not.
	diff *diffs
}

// describeGit says what changes do to repositories, and adds to the diffs what new commits
// hold that the work tree does not have. Made is the folder with what the command made of
// files, relative to the project.
func describeGit(ctx context.Context, root *os.Root, made string, changes []journal.Change, diff *diffs) (all []permit.Repository) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	repos, worktree := map[string]*gitChange{}, map[string]*journal.Change{}
	var order []*gitChange
	for i := range changes {
		repo, rest, in := insideGit(string(changes[i].Path))
		if !in {
			replace(worktree, string(changes[i].Path), &changes[i])
			continue
		}
		g := repos[repo]
		if g == nil {
			g = &gitChange{
				ctx: ctx, root: root, repo: repo, made: made, diff: diff,
				changes: map[string]*journal.Change{}, worktree: worktree,
			}
			repos[repo] = g
			order = append(order, g)
		}
		replace(g.changes, rest, &changes[i])
	}
	for _, g := range order {
		all = append(all, permit.Repository{Path: g.repo, Does: g.describe()})
	}
	return all
}

// replace notes the change of a path. Of one that is removed and made again, what it is made
// counts.
func replace(all map[string]*journal.Change, name string, c *journal.Change) {
	if old := all[name]; old == nil || old.After.Type == journal.None {
		all[name] = c
	}
}

// describe returns sentences, never none.
func (g *gitChange) describe() []string {
	head, isHead := g.changes["HEAD"]
	switch {
	case g.changes[""] != nil && g.changes[""].After.Type != journal.Folder && g.changes[""].After.Type != journal.None:
		return []string{"another repository takes its place: " + nameGit + " is a file or a link now"}
	case isHead && head.After.Type == journal.None:
		return []string{"it is removed, with its history"}
	case isHead && head.Before.Type == journal.None:
		g.addLine("a new repository")
	}
	for _, part := range []string{"objects", "refs"} {
		if c := g.changes[part]; c != nil && c.After.Type == journal.None {
			g.addLine("git passes over it then, as it has no %s", part)
		}
	}
	refs := g.refs()
	closeStores := g.openObjects(refs)
	defer closeStores()
	g.describeHead()
	for _, r := range refs {
		g.describeRef(r)
	}
	g.describeLogs(refs)
	g.showCommitted(refs)
	g.describeIndex()
	g.describeState()
	g.describeLost()
	if len(g.lines) == 0 {
		g.addLine("%d files of its own, and no branch, tag or staged file", len(g.changes))
	}
	if more := len(g.lines) - maxGitLines; more > 0 {
		g.lines = append(g.lines[:maxGitLines], fmt.Sprintf("and %d more changes", more))
	}
	return g.lines
}

// describeLost counts the files of objects that go and are nowhere else.
func (g *gitChange) describeLost() {
	lost := g.lostObjects()
	if len(lost) > 0 && !objectsStay(g.ctx, g.root, g.made, g.repo, lost) {
		g.addLine("%s removed or replaced", quantity.Count(len(lost), "file with objects", "files with objects"))
	}
}

func (g *gitChange) addLine(format string, args ...any) {
	g.lines = append(g.lines, fmt.Sprintf(format, args...))
}

// before is a file of the repository as the project has it, "" for none.
func (g *gitChange) before(rest string) string {
	if c := g.changes[rest]; c != nil && c.Before.Type != journal.File {
		return ""
	}
	data, _, err := durable.ReadFile(g.root, path.Join(g.repo, rest), maxGitFile)
	if err != nil {
		return ""
	}
	return string(data)
}

// after is a file of the repository as the command left it, "" for none.
func (g *gitChange) after(rest string) string {
	c := g.changes[rest]
	switch {
	case c == nil, c.Op == journal.Mode:
		return g.before(rest)
	case c.After.Type != journal.File || c.Content == nil:
		return ""
	}
	f, err := c.Content()
	if err != nil {
		return ""
	}
	return limited(f)
}

// limited reads a file and closes it; one that is too large counts as none.
func limited(f io.ReadCloser) string {
	data, err := io.ReadAll(io.LimitReader(f, maxGitFile+1))
	if err = errors.Join(err, f.Close()); err != nil || len(data) > maxGitFile {
		return ""
	}
	return string(data)
}

// openObjects opens the folders of objects: what the command made, and the project's.
func (g *gitChange) openObjects(refs []gitRef) (closeStores func()) {
	digits := 40
	for _, r := range refs {
		digits = max(digits, len(r.was), len(r.is))
	}
	digits = max(digits, len(g.headID(g.before)), len(g.headID(g.after)))
	var stores []*os.Root
	for _, dir := range []string{path.Join(g.made, g.repo), g.repo} {
		if store, err := g.root.OpenRoot(path.Join(dir, "objects")); err == nil {
			stores = append(stores, store)
		}
	}
	g.objects = repository.NewObjects(digits, stores...)
	return func() {
		for _, s := range stores {
			_ = s.Close() // it was only read
		}
	}
}
