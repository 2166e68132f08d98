// Package load makes the dependency graph of a project from its files.
//
// Contract: workspace spec, section 6; compatible contract, 8.8.
package load

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"belay/internal/crash"
	"belay/internal/durable"
	"belay/internal/workspace"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/graph"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
)

// MaxRows is how many active rows a graph is made of. A thousand deliverables have
// twenty thousand.
const MaxRows = 500_000

// Graph reads the registers of a project's deliverables, several at once, and
// returns their graph. A register that cannot be read, or for whose rows there is
// no room, is a finding, and its rows are missing. One with an unresolved conflict of a merge is
// a finding, too. The error is ctx's, or that of a root that cannot be opened.
func Graph(ctx context.Context, root string, deliverables []*scan.Folder) (*graph.Graph, []finding.Finding, error) {
	r, err := workspace.OpenProject(root)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = r.Close() }()
	nodes := make([]graph.Node, len(deliverables))
	rows := make([][]graph.Dependency, len(deliverables))
	found := make([][]finding.Finding, len(deliverables))
	var next, kept atomic.Int64
	var workers crash.Group
	for range min(runtime.GOMAXPROCS(0), len(deliverables)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(deliverables) || ctx.Err() != nil {
					return
				}
				nodes[i] = node(deliverables[i])
				rows[i], found[i] = read(r, deliverables[i])
				if n := int64(len(rows[i])); kept.Add(n) > MaxRows {
					rows[i] = nil
					found[i] = []finding.Finding{tooMany.At(deliverables[i].Path+"/"+layout.RegisterFile, 0, "its %d active rows are more than there is room for", n)}
				}
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var deps []graph.Dependency
	var all []finding.Finding
	for i := range deliverables {
		deps = append(deps, rows[i]...)
		all = append(all, found[i]...)
	}
	return graph.Build(nodes, deps), all, nil
}

func node(d *scan.Folder) graph.Node {
	n := graph.Node{ID: d.ID, Name: d.Name, Package: d.Package, Path: d.Path}
	if d.Status != scan.Unknown {
		n.State = strings.ToUpper(d.Status)
	}
	return n
}

// unread is a register that is there and says nothing to the graph.
var unread = finding.Rule{
	Code: "REGISTER_UNREADABLE", Severity: finding.Error, Section: "6", Extra: true,
	Means: "A register could not be read, so its dependencies are missing from the graph.",
	Fix:   "make it a regular file of at most 16 MiB that belay may read",
}

// tooMany is a register for which there is no room.
var tooMany = finding.Rule{
	Code: "GRAPH_TOO_LARGE", Severity: finding.Error, Section: "6", Extra: true,
	Means: "The project has more active rows than a graph is made of; those of this register are missing from it.",
	Fix:   "look for what does not belong into the registers with belay deps lint",
}

// Rules are the kinds of findings of this package.
func Rules() []finding.Rule { return []finding.Rule{unread, tooMany} }

// read returns the active rows of a deliverable's register, none where there is
// no register.
func read(root *os.Root, d *scan.Folder) ([]graph.Dependency, []finding.Finding) {
	path := d.Path + "/" + layout.RegisterFile
	data, _, err := durable.ReadFile(root, path, register.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []finding.Finding{unread.At(path, 0, "the register could not be read: %s", dir.Reason(err))}
	}
	r := register.Parse(data)
	if f, ok := r.Conflicted(path); ok {
		return Rows(d.ID, r), []finding.Finding{f}
	}
	return Rows(d.ID, r), nil
}

// Rows are the active rows of a deliverable's register, in canonical values.
func Rows(host string, r *register.Register) []graph.Dependency {
	rows := make([]graph.Dependency, 0, r.Len())
	for i := range r.Len() {
		w := r.Row(i)
		if !w.Active() {
			continue
		}
		rows = append(rows, graph.Dependency{
			ID: w.ID(), Host: host, Row: w.Number(),
			Class: w.Value(register.Class), Anchor: w.Value(register.AnchorType),
			Direction: w.Value(register.Direction), Type: w.Value(register.Type),
			TargetType: w.Value(register.TargetType), Target: strings.TrimSpace(w.Value(register.TargetDeliverableID)),
			TargetRef: strings.TrimSpace(w.Value(register.TargetRefID)), TargetName: strings.TrimSpace(w.Value(register.TargetName)),
			Satisfaction: w.Value(register.Satisfaction), Notes: w.Value(register.Notes),
		})
	}
	return rows
}
