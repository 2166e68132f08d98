// Package view is what people see of a project's folders and files: [Tree] lists
// them in depth, [Open] reads one file. Both stay inside the project, whatever
// links there are, and leave out .belay, .git and what a caller hides.
//
// Contract: compatible contract, 1.12 and 8.7.
package view

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/scan"
)

// Kind is what an entry of a tree is. Everything that is neither a folder nor a
// link counts as a file.
type Kind string

// The kinds.
const (
	Directory Kind = "directory"
	File      Kind = "file"
	Symlink   Kind = "symlink"
)

// Node is one entry of a tree, with the entries below it that were asked for.
type Node struct {
	Name string `json:"name"`
	// Path is absolute.
	Path     string  `json:"path"`
	Kind     Kind    `json:"kind"`
	Children []*Node `json:"children,omitempty"`
	// Truncated is set where the folder has more than Children, or could not be
	// read.
	Truncated bool `json:"truncated,omitempty"`
	// Total is how many entries a truncated folder has; Next is where the first one
	// stands that is left out.
	Total int `json:"total,omitempty"`
	Next  int `json:"next,omitempty"`
}

// TreeOptions say what to list. The zero value lists a project.
type TreeOptions struct {
	// Folder is where to begin, relative to the project, with slashes; "" is the
	// project itself.
	Folder string
	// Depth is how many levels are listed, 1 to 6; 0 is 3.
	Depth int
	// Offset and Limit choose among the entries of Folder; Limit is at most 1000, 0
	// is 60, which also holds for the folders below.
	Offset, Limit int
	// MaxNodes is how many entries the tree has at most, 0 being 20,000; folders
	// beyond it are truncated.
	MaxNodes int
	// Hides says what is left out, by path; nil hides nothing.
	Hides func(rel string) bool
}

// The bounds of a tree.
const (
	DefaultDepth = 3
	MaxDepth     = 6
	DefaultLimit = 60
	MaxLimit     = 1000
	defaultNodes = 20_000
	// maxNames is how many entries of one folder are looked at.
	maxNames = 200_000
)

// Tree lists a project, an absolute path. It fails with NOT_FOUND where Folder is
// no folder of it, and with WORKSPACE_FILE_READ_FAILED where that cannot be read.
func Tree(ctx context.Context, project string, o TreeOptions) (*Node, error) {
	o.Depth = min(cmp.Or(max(o.Depth, 0), DefaultDepth), MaxDepth)
	o.Limit = min(cmp.Or(max(o.Limit, 0), DefaultLimit), MaxLimit)
	folder := path.Clean(cmp.Or(o.Folder, "."))
	if !filepath.IsLocal(filepath.FromSlash(folder)) || hides(o.Hides, folder) {
		return nil, notFound(o.Folder, "folder", nil)
	}
	root, err := workspace.OpenProject(project)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	there, err := durable.OpenFolder(root, folder)
	if err != nil {
		return nil, unlisted(o.Folder, err, false)
	}
	_ = there.Close() // each folder is opened anew
	full := filepath.Join(project, filepath.FromSlash(folder))
	top := &Node{Name: filepath.Base(full), Path: full, Kind: Directory}
	t := &tree{o: o, root: root, left: cmp.Or(o.MaxNodes, defaultNodes), level: []pending{{top, folder, o.Offset, o.Limit}}}
	for depth := 0; depth < o.Depth && len(t.level) > 0; depth++ {
		if err := t.descend(ctx, depth); err != nil {
			return nil, err
		}
	}
	return top, nil
}

// tree is one listing, level by level, so that a bound cuts what is deepest.
type tree struct {
	o     TreeOptions
	root  *os.Root
	left  int
	level []pending
}

// pending is a folder whose children are to be listed.
type pending struct {
	node          *Node
	rel           string
	offset, limit int
}

// descend lists the folders of a level and makes theirs the next one. Level 0 is the folder that
// was asked for: where it cannot be read there is nothing to answer.
func (t *tree) descend(ctx context.Context, depth int) error {
	level := t.level
	t.level = nil
	for _, p := range level {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := t.entries(p.rel)
		if err != nil && depth == 0 {
			return unlisted(p.rel, err, true)
		}
		if err != nil || t.left == 0 {
			p.node.Truncated = true
			continue
		}
		from := min(max(p.offset, 0), len(entries))
		to := min(from+min(p.limit, t.left), len(entries))
		t.left -= to - from
		for _, e := range entries[from:to] {
			child := &Node{Name: e.Name(), Path: filepath.Join(p.node.Path, e.Name()), Kind: kindOf(e.Type())}
			p.node.Children = append(p.node.Children, child)
			if child.Kind == Directory {
				t.level = append(t.level, pending{child, path.Join(p.rel, e.Name()), 0, DefaultLimit})
			}
		}
		if from > 0 || to < len(entries) {
			p.node.Truncated, p.node.Total = true, len(entries)
		}
		if to < len(entries) {
			p.node.Next = to
		}
	}
	return nil
}

// entries are those of a folder that are shown: folders first, then by name. No link leads to
// it: a link might lead to what is hidden.
func (t *tree) entries(rel string) ([]fs.DirEntry, error) {
	folder, err := durable.OpenFolder(t.root, rel)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := f.ReadDir(maxNames)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		return scan.LeavesOut(e.Name()) || hides(t.o.Hides, path.Join(rel, e.Name()))
	})
	slices.SortFunc(all, func(a, b fs.DirEntry) int {
		if a.IsDir() != b.IsDir() {
			if a.IsDir() {
				return -1
			}
			return 1
		}
		return collate(a.Name(), b.Name())
	})
	return all, nil
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsDir():
		return Directory
	case mode&fs.ModeSymlink != 0:
		return Symlink
	}
	return File
}

// collate compares names as people sort them, nearly: letter case does not count
// at first, and marks come before digits, digits before letters.
func collate(a, b string) int {
	x, y := strings.ToLower(a), strings.ToLower(b)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return cmp.Or(cmp.Compare(class(x[i]), class(y[i])), cmp.Compare(x[i], y[i]))
		}
	}
	// Of names that differ in case alone, the small letter comes first.
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(b, a))
}

func class(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return 1
	case 'a' <= c && c <= 'z', c >= 0x80:
		return 2
	}
	return 0
}

// unlisted is the error of a folder that cannot be listed, opened or not. One that is there and
// cannot be read must not look like one that is empty, or that is not there.
func unlisted(rel string, err error, opened bool) error {
	why := "the folder cannot be read"
	switch {
	case errors.Is(err, fs.ErrPermission):
		why += ": permission denied"
	case !opened, errors.Is(err, fs.ErrNotExist):
		return notFound(rel, "folder", err)
	}
	return fault.New(fault.WorkspaceFileReadFailed, "%s", why).With("path", fault.Clip(rel)).
		WithHint("check the folder's permissions and its disk").Because(err)
}

func notFound(rel, what string, cause error) error {
	return fault.New(fault.NotFound, "the project has no such %s: %q", what, fault.Clip(rel)).With("path", fault.Clip(rel)).
		WithHint("name it relative to the project, with slashes").Because(cause)
}
