// Package catalog finds the workflow files of a project ([Find]).
//
// A file counts as one by what it says, not by its name: it ends in .yaml or .yml
// and has, in its first column, tasks: beside id: or agents:. So a project may put
// its workflows anywhere, and the YAML of other programs is not among them. A file
// that counts and cannot be run is listed with what is wrong with it.
package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/authored"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/lazyregexp"
	"belay/internal/workflow/definition"
	"belay/internal/workspace"
	"belay/internal/workspace/view"
)

// Limits bound a search; files beyond them are not found, and
// [Listing.Truncated] says so.
type Limits struct {
	// FileBytes caps a workflow file.
	FileBytes int64
	// Entries caps the files and folders that are looked at, Read the bytes of YAML
	// that are read, Files the workflows that are listed.
	Entries int
	Read    int64
	Files   int
}

// Default are limits for a project of any size. A workflow file is written by people,
// who do not write a megabyte.
var Default = Limits{FileBytes: 1 << 20, Entries: 200_000, Read: 64 << 20, Files: 500}

const (
	// maxDepth is how many folders deep a search goes.
	maxDepth = 16
	// maxProblems caps the problems that are listed of one file.
	maxProblems = 20
)

// Listing is what was found, by path.
type Listing struct {
	Workflows []File `json:"workflows"`
	// Truncated is set where a limit ended the search.
	Truncated bool `json:"truncated,omitempty"`
}

// File is one workflow file.
type File struct {
	// Path is relative to the project, with slashes.
	Path        string `json:"path"`
	ID          string `json:"id,omitempty"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	// Tasks counts those of the file, without those within others.
	Tasks int `json:"tasks,omitempty"`
	// Input is the JSON Schema of what a run is given, absent for anything.
	Input map[string]any `json:"input,omitempty"`
	// Problems are why it cannot be run, the first ones of many; More counts the
	// rest.
	Problems []Problem `json:"problems,omitempty"`
	More     int       `json:"moreProblems,omitempty"`
}

// Problem is something wrong in a file.
type Problem struct {
	// Line and Column are its place, 0 where it is the whole file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Path leads to the value, as in tasks[2].agent.
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Find looks through a project for workflow files. It follows no links, and leaves
// out hidden folders, installed packages, what runs published and what hides says, by its path in the
// project; nil hides nothing.
func Find(ctx context.Context, project string, l Limits, hides func(path string) bool) (Listing, error) {
	root, err := workspace.OpenProject(project)
	if err != nil {
		return Listing{}, err
	}
	defer root.Close()
	s := search{ctx: ctx, root: root, l: l, hides: hides, found: Listing{Workflows: []File{}}}
	err = fs.WalkDir(root.FS(), ".", s.visit)
	slices.SortFunc(s.found.Workflows, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return s.found, err
}

type search struct {
	ctx     context.Context
	root    *os.Root
	l       Limits
	hides   func(string) bool
	entries int
	read    int64
	found   Listing
}

// visit implements [fs.WalkDirFunc].
func (s *search) visit(name string, d fs.DirEntry, err error) error {
	if ctxErr := s.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	switch {
	case name == ".":
		return err
	case err != nil: // what cannot be read holds no workflow that could be run
		return nil
	}
	if s.entries++; s.entries > s.l.Entries {
		s.found.Truncated = true
		return fs.SkipAll
	}
	if d.IsDir() {
		if strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || s.hidden(name) || s.published(name) {
			return fs.SkipDir
		}
		if strings.Count(name, "/") >= maxDepth-1 {
			s.found.Truncated = true
			return fs.SkipDir
		}
		return nil
	}
	if ext := path.Ext(name); !d.Type().IsRegular() || ext != ".yaml" && ext != ".yml" || s.hidden(name) {
		return nil
	}
	return s.file(name)
}

func (s *search) hidden(name string) bool { return s.hides != nil && s.hides(name) }

// published reports whether a folder is what a run published: the workflow in it is a
// record, and the one that it was copied of is listed.
func (s *search) published(dir string) bool {
	for _, name := range []string{"run.json", "outputs.json"} {
		if info, err := s.root.Lstat(dir + "/" + name); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// A top-level key begins its line.
var (
	hasTasks = lazyregexp.New(`(?m)^["']?tasks["']?[ \t]*:`)
	hasName  = lazyregexp.New(`(?m)^["']?(?:id|agents)["']?[ \t]*:`)
)

// file lists a YAML file where it is a workflow.
func (s *search) file(name string) error {
	data, _, err := durable.ReadFile(s.root, name, s.l.FileBytes)
	if err != nil {
		return nil // too large to be run, gone, or not to be read
	}
	if s.read += int64(len(data)); s.read > s.l.Read {
		s.found.Truncated = true
		return fs.SkipAll
	}
	if !hasTasks.Match(data) || !hasName.Match(data) {
		return nil
	}
	if len(s.found.Workflows) == s.l.Files {
		s.found.Truncated = true
		return fs.SkipAll
	}
	f, err := describe(s.ctx, name, data, func(used string) ([]byte, error) {
		used = path.Join(path.Dir(name), used)
		if view.Hidden(s.hides, used) { // what is wrong in it must not be listed either
			return nil, fs.ErrNotExist
		}
		data, _, err := durable.ReadFile(s.root, used, s.l.FileBytes)
		s.read += int64(len(data))
		return data, err
	})
	if err != nil {
		return err
	}
	s.found.Workflows = append(s.found.Workflows, f)
	return nil
}

// describe reads a workflow. The error is ctx's.
func describe(ctx context.Context, name string, data []byte, open definition.Opener) (File, error) {
	f := File{Path: name}
	w, err := definition.ParseWith(ctx, name, data, definition.Options{Open: open, Tools: config.ModelTools(), Providers: config.Providers()})
	if ctx.Err() != nil {
		return f, context.Cause(ctx)
	}
	if wrong := (*authored.Error)(nil); errors.As(err, &wrong) {
		shown := wrong.Problems[:min(len(wrong.Problems), maxProblems)]
		for _, p := range shown {
			f.Problems = append(f.Problems, Problem{p.Line, p.Column, p.Path, p.Message, p.Hint})
		}
		f.More = len(wrong.Problems) - len(shown) + wrong.More
		return f, nil
	}
	if err != nil {
		f.Problems = []Problem{{Message: err.Error()}}
		return f, nil
	}
	f.ID, f.Version, f.Description, f.Tasks = w.ID, w.Version, w.Description, len(w.Tasks)
	if w.Input != nil {
		f.Input = w.Input.Source
	}
	return f, nil
}
