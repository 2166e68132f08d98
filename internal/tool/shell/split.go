package shell

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/kept"
)

// This file divides what a command changed into two parts: the ordinary changes, and those that
// other programs run by themselves. A person is asked about each part in a question of its own.

// part is what of a command's changes is decided on next.
type part int

const (
	// wholePart is all of them: they were not divided.
	wholePart part = iota
	// firstPart are the ordinary changes.
	firstPart
	// secondPart are those that other programs run by themselves.
	secondPart
)

// split divides changes, nil where they are of one kind. A folder that comes as a whole can only be
// applied with all other changes, so that these are not divided.
func (t *transaction) split(ctx context.Context, changes []journal.Change, outcome confine.Outcome, failed bool) (*kept.Split, error) {
	if slices.ContainsFunc(changes, func(c journal.Change) bool { return c.Tree != nil }) {
		return nil, nil
	}
	r, err := risksOf(ctx, t.environment, t.upper.Contents(), changes)
	if err != nil {
		return nil, err
	}
	s := &kept.Split{Automatic: automaticPaths(changes, r.runs)}
	first, second := changesOf(firstPart, changes, s), changesOf(secondPart, changes, s)
	if len(first) == 0 || len(second) == 0 {
		return nil, nil
	}
	if s.First, err = t.effect(ctx, first, outcome, failed); err != nil {
		return nil, err
	}
	if len(s.First.Automatic) > 0 { // belay cannot tell them apart
		return nil, nil
	}
	s.Second, err = t.effect(ctx, second, outcome, failed)
	return s, err
}

// changesOf are the changes of a part. A folder above changes of both parts is in both, because
// each part can be applied without the other: a folder that is there already will do, and one
// that is not empty stays.
func changesOf(p part, all []journal.Change, s *kept.Split) (chosen []journal.Change) {
	if p == wholePart || s == nil {
		return all
	}
	automatic, above := map[string]bool{}, map[string]bool{}
	for _, name := range s.Automatic {
		automatic[string(name)] = true
		addFolders(above, string(name))
	}
	for _, c := range all {
		in := automatic[string(c.Path)]
		if in == (p == secondPart) || p == secondPart && isFolder(&c) && above[string(c.Path)] {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// automaticPaths are the paths of the second part: those of the changes that other programs run
// by themselves, and of the changes that belong to one of them ([units]).
func automaticPaths(changes []journal.Change, runs []bool) (paths []journal.Name) {
	unit := units(changes)
	automatic := map[string]bool{} // by unit
	filled := map[string]bool{}    // folders in which something else is changed
	for i, c := range changes {
		if runs[i] {
			automatic[unit(string(c.Path))] = true
		}
		addFolders(filled, string(c.Path))
	}
	ordinary := map[string]bool{} // folders in which something ordinary is changed
	shared := func(c *journal.Change) bool { return isFolder(c) && filled[string(c.Path)] }
	for _, c := range changes {
		if !automatic[unit(string(c.Path))] && !shared(&c) {
			addFolders(ordinary, string(c.Path))
		}
	}
	for _, c := range changes {
		if automatic[unit(string(c.Path))] || shared(&c) && !ordinary[string(c.Path)] {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// units says which changes belong together: those of a repository of git, and those at and below
// a path where a folder replaces a file or a file a folder. A path stands for each such unit.
func units(changes []journal.Change) func(name string) string {
	seen, replaced := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		name := string(c.Path)
		if seen[name] {
			replaced[name] = true
		}
		seen[name] = true
	}
	return func(name string) string {
		if repository, _, in := insideGit(name); in {
			name = repository
		}
		for i, b := range name {
			if b == '/' && replaced[name[:i]] {
				return name[:i]
			}
		}
		return name
	}
}

func isFolder(c *journal.Change) bool {
	return c.Op == journal.Mkdir || c.Op == journal.Rmdir
}

// addFolders adds the folders above a path to a set.
func addFolders(set map[string]bool, name string) {
	for dir := path.Dir(name); dir != "." && !set[dir]; dir = path.Dir(dir) {
		set[dir] = true
	}
}

// files names the files of a part, for the model.
func (p *pending) files() string {
	names := named(p.changes())
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], " and others"
	}
	return strings.Join(names, ", ") + more
}

// maxNamed is how many files of a part a result names.
const maxNamed = 10

// changes are those that are decided on next.
func (p *pending) changes() []journal.Change {
	return changesOf(p.part, p.record.Changes, p.record.Split)
}

// Split implements [tool.Changes].
func (p *pending) Split() bool {
	if p.divided == nil || p.record.Split != nil {
		return false
	}
	p.record.Split, p.part = p.divided, firstPart
	return true
}

// Second implements [tool.Changes].
func (p *pending) Second() bool { return p.part == secondPart }

// end ends the decision on changes that were applied or dropped. The other part stays.
func (p *pending) end(notes ...string) (tool.Result, error) {
	r := p.result(notes...)
	switch s := p.record.Split; {
	case p.part == firstPart:
		p.limit(secondPart, s.Second)
		return p.next(r)
	case p.part == secondPart && s.Kept != "":
		p.limit(firstPart, s.First)
		r.Kept = s.Kept
		return r, p.leaveKept(s.Kept)
	}
	return r, p.remove()
}

// limit leaves only the changes of a part in the record.
func (p *pending) limit(to part, e permit.Effect) {
	p.record.Changes, p.record.Effect = changesOf(to, p.record.Changes, p.record.Split), e
	p.record.Conflicts = slices.DeleteFunc(p.record.Conflicts, func(name string) bool {
		return !slices.ContainsFunc(p.record.Changes, func(c journal.Change) bool { return string(c.Path) == name })
	})
}

// next goes on to the second part. The result of the first one is kept with it.
func (p *pending) next(r tool.Result) (tool.Result, error) {
	p.part, p.record.Split.Decided, p.record.Result.Text = secondPart, true, r.Text
	if p.held != nil {
		if err := p.held.Update(p.record); err != nil {
			return tool.Result{}, errors.Join(err, p.leave())
		}
	}
	r.Changes = p
	return r, nil
}

// leaveKept leaves what is in the record for a person to decide on later.
func (p *pending) leaveKept(why string) error {
	if s := p.record.Split; s != nil && s.Kept != "" && s.Kept != why {
		why = s.Kept + "; " + why
	}
	p.record.Question, p.record.Why, p.record.Split = "", why, nil
	return errors.Join(p.held.Update(p.record), p.leave())
}
