package shell

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/journal"
	"belay/internal/tool"
	"belay/internal/workspace/repository"
)

// addHistory adds the repositories whose history goes, or a part of it: undo leaves what git
// keeps alone. Objects that Git packs anew are in what the command made, and do not go.
func (r *risks) addHistory(ctx context.Context, root *os.Root, made string, changes []journal.Change) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	repos := map[string]*gitChange{}
	var order []*gitChange
	for i := range changes {
		repo, rest, in := historyOf(string(changes[i].Path))
		if !in {
			continue
		}
		if repos[repo] == nil {
			repos[repo] = &gitChange{ctx: ctx, root: root, repo: repo, made: made, changes: map[string]*journal.Change{}}
			order = append(order, repos[repo])
		}
		replace(repos[repo].changes, rest, &changes[i])
	}
	lost := map[string]bool{}
	for _, g := range order {
		said := g.loses()
		if lost[g.repo] = len(said) > 0; lost[g.repo] {
			r.addAutomatic("", said...)
		}
	}
	for i, c := range changes {
		if repo, rest, in := historyOf(string(c.Path)); in && lost[repo] && keepsHistory(rest) {
			r.runs[i] = true
		}
	}
}

// loses says which history of a repository goes, that neither git nor undo brings back.
func (g *gitChange) loses() (said []string) {
	name := tool.Printable(g.repo)
	if head := g.changes["HEAD"]; head != nil && head.After.Type == journal.None {
		return []string{name + " is removed with its history, and nobody can take that back"}
	}
	if lost := g.lostObjects(); len(lost) > 0 && !objectsStay(g.ctx, g.root, g.made, g.repo, lost) {
		said = append(said, "objects of "+name+", which hold its history, are removed or replaced, and nobody can take that back")
	}
	log := g.changes["logs/HEAD"]
	switch {
	case g.branchesGo():
		said = append(said, "every branch of "+name+" is removed, and nobody can take that back")
	case log != nil && log.After.Type == journal.None && slices.ContainsFunc(g.refs(), func(r gitRef) bool { return r.is == "" }):
		said = append(said, "branches or tags of "+name+" are removed with the log of what they were, and nobody can take that back")
	}
	return said
}

// lostObjects are the files of objects that go, below the folder of objects.
func (g *gitChange) lostObjects() (files []string) {
	for rest, c := range g.changes {
		if lostObject(rest, c) {
			files = append(files, strings.TrimPrefix(rest, objectsDir))
		}
	}
	slices.Sort(files)
	return files
}

const (
	branchesDir = "refs/heads"
	// maxBranchFiles is how many files are looked at for a branch that stays.
	maxBranchFiles = 20_000
)

var errStays = errors.New("a branch stays")

// branchesGo reports whether the repository had branches and has none any more.
func (g *gitChange) branchesGo() bool {
	packed := g.changes["packed-refs"]
	var before, stays bool
	for rest, c := range g.changes {
		if !strings.HasPrefix(rest, branchesDir+"/") || c.Op == journal.Mode {
			continue
		}
		before = before || c.Before.Type == journal.File
		stays = stays || c.After.Type == journal.File && refID(g.after(rest), "") != ""
	}
	if stays || !before && packed == nil {
		return false
	}
	hasBranch := func(text string) bool {
		for name := range packedRefs(text) {
			if strings.HasPrefix(name, branchesDir+"/") {
				return true
			}
		}
		return false
	}
	if before = before || hasBranch(g.before("packed-refs")); !before || hasBranch(g.after("packed-refs")) {
		return false
	}
	looked := 0
	err := fs.WalkDir(g.root.FS(), path.Join(filepath.ToSlash(g.repo), branchesDir), func(name string, d fs.DirEntry, err error) error {
		if looked++; err != nil || d.IsDir() {
			return nil //nolint:nilerr // what cannot be read is no branch that stays
		}
		if g.changes[strings.TrimPrefix(name, g.repo+"/")] == nil {
			return errStays
		}
		if looked > maxBranchFiles {
			return fs.SkipAll
		}
		return nil
	})
	return err == nil
}

// objectsDir begins the names of a repository's objects.
const objectsDir = "objects/"

// keepsHistory reports whether a part of a repository is one of those that hold its history.
func keepsHistory(rest string) bool {
	return rest == "HEAD" || rest == "packed-refs" || slices.ContainsFunc([]string{objectsDir, "refs/", "logs/"}, func(dir string) bool {
		return strings.HasPrefix(rest+"/", dir)
	})
}

// historyOf is insideGit for the repository whose history a path would be a part of: that of a
// submodule is its own.
func historyOf(name string) (repo, rest string, in bool) {
	repo, rest, in = insideGit(name)
	if !strings.HasPrefix(rest, "modules/") {
		return repo, rest, in
	}
	for _, part := range []string{"/" + objectsDir, "/logs/refs/", "/refs/"} {
		if i := strings.LastIndex(rest, part); i >= 0 {
			return repo + "/" + rest[:i], rest[i+1:], in
		}
	}
	for _, part := range []string{"/logs/HEAD", "/HEAD", "/packed-refs"} {
		if module, is := strings.CutSuffix(rest, part); is {
			return repo + "/" + module, part[1:], in
		}
	}
	return repo, rest, in
}

// objectsStay reports whether all that files of a repository's objects hold is in what a
// command made, or in files that stay.
func objectsStay(ctx context.Context, root *os.Root, made, repo string, files []string) bool {
	if made == "" {
		return false
	}
	from, err := root.OpenRoot(path.Join(repo, objectsDir))
	if err != nil {
		return false
	}
	defer from.Close()
	store, err := root.OpenRoot(path.Join(made, repo, objectsDir))
	if err == nil {
		defer store.Close()
	} else {
		store = nil // it made none
	}
	return repository.Keeps(ctx, from, store, files)
}

// lostObject reports whether a change takes something out of the objects of a repository.
func lostObject(rest string, c *journal.Change) bool {
	if c.Before.Type != journal.File || c.Op == journal.Mode || !strings.HasPrefix(rest, objectsDir) {
		return false
	}
	// Lists of objects can be made again; a half-written object is none.
	base := path.Base(rest)
	return !strings.HasPrefix(rest, "objects/info/") && !strings.HasPrefix(base, "tmp_") && !strings.HasPrefix(base, ".tmp-") &&
		!strings.HasPrefix(base, "multi-pack-index") && !slices.Contains([]string{".rev", ".bitmap", ".mtimes"}, path.Ext(base))
}
