package shell

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/quantity"
	"belay/internal/tool"
	"belay/internal/tool/files"
	"belay/internal/workspace/repository"
)

// This file is about what new commits hold and the work tree does not: a file that was
// committed and removed again, or a commit on another branch. Nobody sees it in the files
// that change, and it is pushed with the rest.

const (
	// maxKnownRefs is how many refs are looked at for commits that were there before.
	maxKnownRefs = 200
	// maxShownCommits is how many new commits are compared with the work tree.
	maxShownCommits = 100
)

// Modes of files in a commit.
const (
	committedProgram   = "100755"
	committedLink      = "120000"
	committedSubmodule = "160000"
)

// showCommitted adds to the diffs those files of new commits that the work tree has
// otherwise after the command.
func (g *gitChange) showCommitted(refs []gitRef) {
	shown, err := g.addCommitted(refs)
	if err != nil {
		g.lines = slices.Insert(g.lines, 0, fmt.Sprintf("not all that its new commits hold could be compared with the work tree: %v", err))
	}
	if shown > 0 {
		g.addLine("the work tree has %s otherwise than its new commits; the diff shows what was committed", quantity.Count(shown, "file", "files"))
	}
}

func (g *gitChange) addCommitted(refs []gitRef) (shown int, err error) {
	known := g.knownCommits(refs)
	now := map[string]bool{g.headID(g.after): true}
	for _, r := range refs {
		now[r.is] = true
	}
	maps.DeleteFunc(now, func(id string, _ bool) bool { return id == "" || known[id] })
	if len(now) == 0 {
		return 0, nil
	}
	commits, err := g.objects.New(g.ctx, slices.Collect(maps.Keys(known)), slices.Sorted(maps.Keys(now)))
	if err != nil {
		return 0, err
	}
	seen, names := map[string]bool{}, map[string]bool{}
	for _, id := range commits[:min(len(commits), maxShownCommits)] {
		made, err := g.objects.Made(g.ctx, id)
		if err != nil {
			return len(names), err
		}
		for _, m := range made {
			key := m.Path + "\x00" + m.Is.ID
			if seen[key] || g.inWorkTree(m) {
				continue
			}
			seen[key] = true
			names[m.Path] = true
			if err := g.addMade(id, m); err != nil {
				return len(names), err
			}
		}
	}
	if more := len(commits) - maxShownCommits; more > 0 {
		return len(names), fmt.Errorf("%d older commits were left out", more)
	}
	return len(names), nil
}

// knownCommits are those that refs led to before the command.
func (g *gitChange) knownCommits(refs []gitRef) map[string]bool {
	known := map[string]bool{g.headID(g.before): true}
	for _, r := range refs {
		known[r.was] = true
	}
	for _, id := range packedRefs(g.before("packed-refs")) {
		if len(known) < maxKnownRefs {
			known[id] = true
		}
	}
	looked := 0
	top := path.Join(g.repo, "refs")
	_ = fs.WalkDir(g.root.FS(), filepath.ToSlash(top), func(name string, e fs.DirEntry, err error) error { // of fewer refs more is shown
		if looked++; err != nil || looked > maxGitRefs || len(known) >= maxKnownRefs {
			return fs.SkipAll
		}
		if e.Type().IsRegular() {
			known[refID(g.before(name[len(g.repo)+1:]), "")] = true
		}
		return nil
	})
	delete(known, "")
	return known
}

// inWorkTree reports whether the work tree has a file as a commit has it, after the
// command. Of what cannot be read it does not.
func (g *gitChange) inWorkTree(m repository.Made) bool {
	name := path.Join(path.Dir(g.repo), m.Path)
	c := g.worktree[name]
	var now journal.State
	open := func() (io.ReadCloser, error) { return durable.OpenInside(g.root, name) }
	if c != nil && c.Op != journal.Mode {
		now, open = c.After, c.Content
	} else {
		var err error
		if now, err = journal.Look(g.root, journal.Name(name), false); err != nil {
			return false
		}
	}
	switch {
	case m.Is.ID == "":
		return now.Type == journal.None || now.Type == journal.Folder
	case m.Is.Mode == committedSubmodule:
		return now.Type == journal.Folder // git does not look into it either
	case m.Is.Mode == committedLink:
		return now.Type == journal.Link && repository.ContentID(len(m.Is.ID), []byte(now.Target)) == m.Is.ID
	case now.Type != journal.File || now.Size > maxGitFile || open == nil:
		return false
	}
	f, err := open()
	if err != nil {
		return false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxGitFile))
	return errors.Join(err, f.Close()) == nil && repository.ContentID(len(m.Is.ID), data) == m.Is.ID
}

// addMade adds to the diffs what a commit made of a file. What cannot be read is said.
func (g *gitChange) addMade(commit string, m repository.Made) error {
	name := fmt.Sprintf("%s in the commit %s", path.Join(path.Dir(g.repo), m.Path), commit[:12])
	if g.diff.full() {
		g.diff.left++
		return nil
	}
	var contents [2][]byte
	for i, f := range []repository.File{m.Was, m.Is} {
		if f.ID == "" || f.Mode == committedSubmodule {
			continue
		}
		data, err := g.objects.Content(g.ctx, f.ID)
		switch {
		case errors.Is(err, repository.ErrTooMuch):
			g.diff.line(tool.Printable(name) + ": too large to be shown\n")
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", tool.Printable(name), err)
		}
		contents[i] = append(make([]byte, 0, len(data)+1), data...) // empty is not nil
	}
	switch {
	case m.Is.Mode == committedSubmodule:
		g.diff.line(fmt.Sprintf("%s: a submodule at %s\n", tool.Printable(name), m.Is.ID[:12]))
		return nil
	case m.Is.Mode == committedLink:
		g.diff.line(fmt.Sprintf("%s: a link to %s\n", tool.Printable(name), tool.Printable(tool.Clip(string(contents[1]), maxSubject))))
		return nil
	case m.Is.Mode == committedProgram && m.Was.Mode != committedProgram:
		g.diff.line(tool.Printable(name) + ": a program\n")
	}
	g.diff.addText(name, cmp.Or(files.Compare(name, contents[0], contents[1]), tool.Printable(name)+": its content is what it was\n"))
	return nil
}
