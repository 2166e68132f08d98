// Package approval is what a person looks at before a deliverable goes on: the commits that
// they may approve, what no commit has yet, and what changed since the last transition.
//
// [Look] reads the git repository that a project is in with package repository: it runs no
// program and believes no setting of the repository. So it knows no .gitignore, and files
// that git would ignore count as new. Everything is bounded, and what is left out is said.
//
// Contract: workspace spec, 3.3; compatible contract, 8.2 and S4.
package approval

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/repository"
)

// Options say what to look at. Project is required.
type Options struct {
	// Project is an absolute path, and Folder one in it with slashes, "" for all of it.
	Project, Folder string
	// Commits is how many are listed.
	Commits int
	// Hides says what is never shown, by its path in the project; nil hides nothing.
	Hides func(rel string) bool
	// Allow refuses a repository that is read from a folder outside of its work tree; nil
	// allows any.
	Allow func(dir string) error
}

// Seen is what there is to see.
type Seen struct {
	// Head is the commit that is checked out, and Commits those that changed the folder,
	// the youngest first. More is set where there are others.
	Head    *repository.Logged
	Commits []repository.Logged
	More    bool
	// Uncommitted are the files of the folder that differ from Head, at most [MaxFiles].
	Uncommitted []File
	// Unseen is set where the folder has more than was compared.
	Unseen bool
	// Since is the commit of the last transition, nil where there is none.
	Since *Since
}

// Since is the commit in which a deliverable came to its state.
type Since struct {
	Commit repository.Logged
	// State is the one in that commit. Pending is set where the state that the folder has
	// now is in no commit yet: then the commit is Head.
	State   lifecycle.State
	Pending bool
	// Changes are what differs from it in the folder now. More counts those left out.
	Changes []Change
	More    int
}

// Change is a file with its contents in the commit and now, nil for no file. They are as
// long as can be compared; Large is set where they are not read.
type Change struct {
	Path          string
	Before, After []byte
	Large         bool
}

// ErrNoRepository says that a project is in no git repository.
var ErrNoRepository = errors.New("the project is in no git repository")

// ErrOutside says that the repository's folders are where the caller may not read.
var ErrOutside = errors.New("the repository lies outside of the work tree, where it may not be read")

// Look looks at a folder of a project. Its errors are those of this package, ctx's, and of a
// repository that cannot be read; what was seen until then comes with the error.
func Look(ctx context.Context, o Options) (s Seen, err error) {
	r, err := repository.Find(o.Project)
	switch {
	case err != nil:
		return s, err
	case r == nil:
		return s, ErrNoRepository
	}
	if err := permitted(r, o.Allow); err != nil {
		return s, err
	}
	project, err := filepath.EvalSymlinks(o.Project)
	if err != nil {
		return s, fmt.Errorf("find the project: %w", err)
	}
	inRepository, err := filepath.Rel(r.Top(), project)
	if err != nil {
		return s, fmt.Errorf("find the project in its repository: %w", err)
	}
	objects, done, err := r.Objects()
	if err != nil {
		return s, err
	}
	defer done()
	l := look{Options: o, objects: objects, digits: r.Digits(), at: path.Join(filepath.ToSlash(inRepository), o.Folder)}
	if l.at == "." {
		l.at = ""
	}
	head, err := r.Head()
	if err != nil || head == "" {
		return s, err
	}
	return s, l.see(ctx, head, &s)
}

// permitted refuses a repository whose folders are elsewhere, unless they are allowed.
func permitted(r *repository.Repository, allow func(string) error) error {
	if allow == nil {
		return nil
	}
	places, err := r.Places()
	if err != nil {
		return err
	}
	for _, place := range places {
		rel, err := filepath.Rel(r.Top(), place)
		if (err != nil || !filepath.IsLocal(rel)) && allow(place) != nil {
			return ErrOutside
		}
	}
	return nil
}

// look is one look.
type look struct {
	Options
	objects *repository.Objects
	digits  int
	// at is the folder's path in the repository, "" for the top.
	at string
}

func (l *look) see(ctx context.Context, head string, s *Seen) error {
	first, err := l.objects.Logged(ctx, head)
	if err != nil {
		return err
	}
	s.Head = &first
	here, err := l.files(ctx)
	if err != nil {
		return err
	}
	committed, err := l.objects.Below(ctx, head, l.at)
	if err != nil {
		return err
	}
	s.Uncommitted, s.Unseen, err = l.differences(ctx, committed, here)
	if err != nil {
		return err
	}
	if s.Commits, s.More, err = l.objects.Log(ctx, head, l.at, l.Commits); err != nil {
		return err
	}
	s.Since, err = l.since(ctx, first, here)
	return err
}

// maxStates is how many commits of a _STATUS.md are read to find the last transition.
const maxStates = 100

// since finds the commit of the last transition, and what changed after it.
func (l *look) since(ctx context.Context, head repository.Logged, here *files) (*Since, error) {
	status := path.Join(l.at, layout.StatusFile)
	now, _ := l.read(layout.StatusFile)
	state, err := l.stateIn(ctx, head.ID, status)
	if err != nil || now == nil || state == "" {
		return nil, err
	}
	since := &Since{Commit: head, State: state}
	if since.Pending = lifecycle.Quick(now) != state; !since.Pending {
		log, _, err := l.objects.Log(ctx, head.ID, status, maxStates)
		if err != nil {
			return nil, err
		}
		for _, c := range log {
			was, err := l.stateIn(ctx, c.ID, status)
			if err != nil {
				return nil, err
			}
			if was != state {
				break
			}
			since.Commit = c
		}
	}
	committed, err := l.objects.Below(ctx, since.Commit.ID, l.at)
	if err != nil {
		return nil, err
	}
	differing, unseen, err := l.differences(ctx, committed, here)
	if err != nil {
		return nil, err
	}
	if since.Changes, since.More, err = l.contents(ctx, committed, differing); unseen {
		since.More++
	}
	return since, err
}

// stateIn is the state that a commit's _STATUS.md says, "" for none.
func (l *look) stateIn(ctx context.Context, commit, name string) (lifecycle.State, error) {
	_, id, err := l.objects.Entry(ctx, commit, name)
	if err != nil || id == "" {
		return "", err
	}
	data, err := l.objects.Content(ctx, id)
	return lifecycle.Quick(data), err
}
