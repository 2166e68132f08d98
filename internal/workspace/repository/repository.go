// Package repository reads the git repository that a project is in: whether it has a
// commit, as an approval names one and an approval of nothing is none, and what its
// commits hold.
//
// It reads the repository's object files and runs no program. A project comes
// from somewhere, and git obeys a repository's settings: which
// programs to run, and from which host to fetch what is missing.
//
// [Find] finds the repository, [Repository.Commit] the commit. [Repository.Head] is what
// is checked out, and [Objects.Log] the commits that changed a path. Loose objects,
// packs with their index, alternates, linked work trees, submodules and both
// object formats are understood. A commit that a shallow clone left out is not
// there. Contract: compatible contract, 8.2 and S4; the HTTP contract, "approvals".
package repository

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/gitconfig"
	"belay/internal/workspace/gitdir"
)

// Errors of [Repository.Commit]; they are in the chain of what it returns.
var (
	// ErrNoCommit says that no object has that id.
	ErrNoCommit = errors.New("the repository has no such commit")
	// ErrNotCommit says that the id is a tag's, a tree's or a file's.
	ErrNotCommit = errors.New("the id is not a commit's")
	// ErrAmbiguous says that more than one commit's id begins so.
	ErrAmbiguous = errors.New("more than one commit's id begins so")
)

// Limits of what is read of a repository's own files.
const (
	maxPointer    = 64 << 10 // of HEAD, references, alternates
	maxSettings   = 1 << 20
	maxAlternates = 32
)

// Repository is the objects of a git repository. It holds no file open and is
// safe for concurrent use.
type Repository struct {
	// stores are the folders with objects: the repository's own, then alternates.
	stores []string
	// id is how many bytes an id has: 20, or 32.
	id int
	// top is the work tree's folder, without links. dir is its git folder, and common the
	// one that linked work trees share.
	top, dir, common string
}

// Top is the top of the work tree, an absolute path without links.
func (r *Repository) Top() string { return r.top }

// Places are the folders that the repository is read from, without links: those of git and
// of objects. They may lie anywhere, for a work tree only names them.
func (r *Repository) Places() ([]string, error) {
	var all []string
	for _, dir := range append([]string{r.dir, r.common}, r.stores...) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, fmt.Errorf("find the repository: %w", err)
		}
		all = append(all, real)
	}
	return all, nil
}

// Digits is how many hex digits an id has.
func (r *Repository) Digits() int { return 2 * r.id }

// Find returns the repository whose work tree dir is in, nil when it is in none.
// It looks in dir and the folders above it, by what their names lead to.
func Find(dir string) (*Repository, error) {
	top, at, err := gitdir.Find(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the repository: %w", err)
	}
	return open(top, at)
}

// pointer reads the first line of a small file.
func pointer(path string) (string, error) {
	data, _, err := durable.ReadFile(nil, path, maxPointer)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimRight(line, "\r"), nil
}

// open reads where a git folder has its objects.
func open(top, gitDir string) (*Repository, error) {
	common, err := gitdir.Common(gitDir)
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	r := &Repository{id: 20, top: top, dir: gitDir, common: common}
	settings, _, err := durable.ReadFile(nil, filepath.Join(common, "config"), maxSettings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	if sha256Format(settings) {
		r.id = 32
	}
	if err := r.store(filepath.Join(common, "objects"), 0); err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	return r, nil
}

// store adds a folder of objects and those that it borrows from.
func (r *Repository) store(objects string, depth int) error {
	for _, s := range r.stores {
		if s == objects {
			return nil
		}
	}
	if info, err := os.Stat(objects); err != nil || !info.IsDir() {
		if depth > 0 {
			return nil // as for git, an alternate that is gone is no error
		}
		return fmt.Errorf("%s is not a folder of objects", objects)
	}
	r.stores = append(r.stores, objects)
	list, _, err := durable.ReadFile(nil, filepath.Join(objects, "info", "alternates"), maxPointer)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(list)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' || depth == 5 || len(r.stores) == maxAlternates {
			continue
		}
		if err := r.store(gitdir.From(objects, line), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// sha256Format reports whether a repository's settings say that its ids are
// SHA-256: extensions.objectFormat.
func sha256Format(settings []byte) bool {
	all, _ := gitconfig.Parse(string(settings)) // git would obey none of a text that is none
	is := false
	for _, s := range all {
		if s.Name() == "extensions.objectformat" && s.Subsection == "" {
			is = strings.EqualFold(s.Value, "sha256")
		}
	}
	return is
}
