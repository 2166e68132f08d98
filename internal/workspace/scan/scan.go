// Package scan finds what is in an execution root: packages, deliverables and
// copies of them, knowledge types, tool roots, and the state of each deliverable.
//
// [Scan] walks the folders with several goroutines and reads one file of each
// deliverable, _STATUS.md, as far as its state. Everything else it knows from
// names. [Under] does the same for one folder, and [Result.Replace] puts the
// outcome into an older result, so that a change costs what it touches.
//
// A walk stays in its root: each folder is opened through the one above it, links
// are never followed, and .belay, .git and folders of build output are left out.
// It is bounded by [Options]; where a bound cuts it short the result says so. What
// it cannot read or make sense of is a finding, never an error: the one error is
// a root that cannot be opened.
//
// Contract: workspace spec, sections 1, 2, 10 and 15; compatible contract, 8.4
// and 8.5.
package scan

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"belay/internal/workspace/finding"
)

// Options bound a scan. The zero value works.
type Options struct {
	// MaxFolders is how many folders are entered; default 1,000,000.
	MaxFolders int
	// MaxDepth is how deep a folder may be that is entered, those in the root
	// being at 1; default 32.
	MaxDepth int
	// Workers is how many goroutines walk; default twice the processors, 4 to 16.
	Workers int
	// Visited asks for the names of all folders that were entered.
	Visited bool
	// Stamps asks for [Folder.Stamp].
	Stamps bool
	// NamesOnly leaves out what is in the deliverables that are worked on: they have their
	// names and places, and no state. It takes a fraction of the time.
	NamesOnly bool
}

const (
	defaultFolders = 1_000_000
	defaultDepth   = 32
)

func (o Options) orDefault() Options {
	o.MaxFolders = cmp.Or(o.MaxFolders, defaultFolders)
	o.MaxDepth = cmp.Or(o.MaxDepth, defaultDepth)
	o.Workers = cmp.Or(o.Workers, min(max(4, 2*runtime.GOMAXPROCS(0)), 16))
	return o
}

// Result is what a root holds. Paths in it are relative to the root, with slashes.
// It is not changed once it is made.
type Result struct {
	// Packages, by id and then by name.
	Packages []*Package
	// Deliverables are those that are worked on: directly in the folder 1_Working
	// of a package. Copies are all others: archived, in review, issued, astray.
	// Both are sorted by package and id.
	Deliverables, Copies []*Folder
	// KnowledgeTypes are the KTY folders, sorted as deliverables.
	KnowledgeTypes []*Folder
	// ToolRoots are the folders in the root that begin with an underline.
	ToolRoots []*ToolRoot
	// Marker is the first decomposition document that speaks of knowledge types,
	// "" when none does.
	Marker string
	// Findings are about the layout, sorted. Of very many the last one says how many more
	// there are, as MoreFindings does.
	Findings     []finding.Finding
	MoreFindings int
	// Folders is how many folders were entered, Visited their names in no order,
	// where that was asked for; the root itself is ".".
	Folders int
	Visited []string
	// Truncated is set where a bound of the options cut the walk short.
	Truncated bool

	raw records
}

// Package is a PKG folder.
type Package struct {
	// ID is "PKG-01", Name what follows it with underlines as blanks.
	ID, Name string
	// Path is the folder; Folder the last part of it.
	Path, Folder string
}

// ToolRoot is a folder for derived outputs (workspace 1.2).
type ToolRoot struct {
	Name string
	// Known is set for those that the specification names.
	Known bool
}

// records are what a walk found before it is put in order: the input of arrange.
type records struct {
	packages  []*Package
	folders   []*Folder
	toolRoots []*ToolRoot
	markers   []string
	findings  firstFindings
	visited   []string
	entered   int
	cut       bool
}

// Scan walks a whole root, an absolute path. It stops early when ctx ends.
func Scan(ctx context.Context, root string, o Options) (*Result, error) {
	return Under(ctx, root, ".", o)
}

// Under walks one folder of a root, rel being its path as results have it. The
// result holds what is in that folder and the folder itself; a folder that is gone
// gives an empty one.
func Under(ctx context.Context, root, rel string, o Options) (*Result, error) {
	return newWalk(o.orDefault()).result(ctx, root, rel)
}

func (w *walk) result(ctx context.Context, root, rel string) (*Result, error) {
	if err := w.run(ctx, root, rel); err != nil {
		return nil, fmt.Errorf("scan %s: %w", root, err)
	}
	return arrange(w.collect()), nil
}
