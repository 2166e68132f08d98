// Package progress says where a project stands: how long each deliverable has been in its
// state, what it waits for, how many findings its files have, and which commands are for most
// of them.
//
// [Of] combines a scan, the dependency graph and a validation. It reads the files of the
// project and writes nothing. A file that cannot be read is a finding.
//
// Contract: workspace spec, sections 3, 6 and 12; design of the page.
package progress

import (
	"context"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"belay/internal/crash"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/graph"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/validate"
)

// Report is where a project stands.
type Report struct {
	ProjectRoot string `json:"projectRoot"`
	// Deliverables are in the order of the scan.
	Deliverables []Deliverable `json:"deliverables"`
	// Elsewhere counts the findings about no deliverable's folder.
	Elsewhere Findings `json:"elsewhere"`
	// Summary counts all findings.
	Summary validate.Summary `json:"summary"`
	// DoFirst are the commands for most of the findings, at most [MaxDoFirst].
	DoFirst []Command `json:"doFirst"`
	// Unread is how many registers could not be read: what their deliverables wait for is
	// not known.
	Unread int `json:"unreadRegisters,omitempty"`
}

// Deliverable is where a deliverable stands.
type Deliverable struct {
	// Path is its folder, relative to the project: an id may be there twice.
	Path string `json:"path"`
	// Since is the day of the last transition, YYYY-MM-DD, absent where the file has none.
	Since string      `json:"since,omitempty"`
	Ready graph.Ready `json:"ready"`
	// Blockers is how many dependencies it waits for, WaitsFor the first of their
	// deliverables, at most 3.
	Blockers int      `json:"blockers,omitempty"`
	WaitsFor []string `json:"waitsFor,omitempty"`
	// Circle is set where it waits for itself over others.
	Circle bool `json:"circle,omitempty"`
	Findings
}

// Findings counts findings.
type Findings struct {
	Errors   int `json:"errors,omitempty"`
	Warnings int `json:"warnings,omitempty"`
}

func (n *Findings) count(f *finding.Finding) {
	if f.Severity == finding.Error {
		n.Errors++
	} else {
		n.Warnings++
	}
}

// Command is a command for findings.
type Command struct {
	// Line is what a person types in a shell.
	Line string `json:"line"`
	// Findings is how many findings it is for.
	Findings int `json:"findings"`
}

// MaxDoFirst is how many commands a report names.
const MaxDoFirst = 4

// maxWaitsFor is how many deliverables [Deliverable.WaitsFor] names.
const maxWaitsFor = 3

// Options bound the reading. The zero value works.
type Options struct {
	// FileBytes and Today are those of [validate.Options].
	FileBytes int64
	Today     string
}

// Of returns where a project stands, of which a scan has found r. Unread is how many
// registers the graph is without. The error is ctx's, or that of a root that cannot be
// opened.
func Of(ctx context.Context, root string, r *scan.Result, g *graph.Graph, unread int, o Options) (*Report, error) {
	report := &Report{ProjectRoot: root, Deliverables: make([]Deliverable, len(r.Deliverables)), DoFirst: []Command{}, Unread: unread}
	at := make(map[string]*Deliverable, len(r.Deliverables)) // by folder
	for i, f := range r.Deliverables {
		report.Deliverables[i].Path = f.Path
		at[f.Path] = &report.Deliverables[i]
	}
	if err := since(ctx, root, r.Deliverables, report.Deliverables); err != nil {
		return nil, err
	}
	report.readiness(ctx, r, g)
	digest := finding.NewDigest(1)
	judged, err := validate.Project(ctx, root, r, validate.Options{FileBytes: o.FileBytes, Today: o.Today, Digest: digest, Each: func(found []finding.Finding) {
		for i := range found {
			report.place(at, &found[i])
		}
	}})
	if err != nil {
		return nil, err
	}
	report.Summary = judged.Summary
	all, counts := digest.Remedies()
	for _, r := range all[:min(len(all), MaxDoFirst)] {
		report.DoFirst = append(report.DoFirst, Command{r.Line(root, false, ""), counts[r]})
	}
	return report, nil
}

// place counts a finding where it is.
func (r *Report) place(at map[string]*Deliverable, f *finding.Finding) {
	for folder := f.Path; folder != "" && folder != "."; folder = path.Dir(folder) {
		if d := at[folder]; d != nil {
			d.count(f)
			return
		}
	}
	r.Elsewhere.count(f)
}

// readiness fills in what deliverables wait for.
func (r *Report) readiness(ctx context.Context, found *scan.Result, g *graph.Graph) {
	analysis := g.Analyse(ctx).OnlyBlocking()
	circles := map[string]bool{}
	for _, c := range analysis.Components {
		for _, id := range c.Deliverables {
			circles[id] = true
		}
	}
	ready := make(map[string]*graph.Readiness, len(analysis.Readiness))
	for i := range analysis.Readiness {
		ready[analysis.Readiness[i].Deliverable] = &analysis.Readiness[i]
	}
	for i, f := range found.Deliverables {
		d := &r.Deliverables[i]
		d.Ready, d.Circle = graph.Undecided, circles[f.ID]
		known := ready[f.ID]
		if known == nil {
			continue
		}
		d.Ready, d.Blockers = known.Ready, len(known.Blockers)
		for _, b := range known.Blockers {
			if len(d.WaitsFor) < maxWaitsFor && !slices.Contains(d.WaitsFor, b.Deliverable) {
				d.WaitsFor = append(d.WaitsFor, b.Deliverable)
			}
		}
	}
}

// maxStatus is how much of a _STATUS.md is read for its date, in bytes.
const maxStatus = 1 << 20

// since reads the days of the last transitions, several files at once.
func since(ctx context.Context, root string, folders []*scan.Folder, into []Deliverable) error {
	top, err := dir.Open(root)
	if err != nil {
		return err
	}
	defer top.Close()
	var next atomic.Int64
	var workers crash.Group
	for range min(runtime.GOMAXPROCS(0), len(folders)) {
		workers.Go(func() {
			var buf []byte
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(folders) {
					return
				}
				if folders[i].Files.Has(scan.Status) {
					into[i].Since, buf = day(top, folders[i].Path, buf)
				}
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}

// day is the date in a deliverable's _STATUS.md, "" where it has none.
func day(top dir.Dir, folder string, buf []byte) (date string, used []byte) {
	d, err := dir.Descend(top, folder)
	if err != nil {
		return "", buf // it went meanwhile: the next scan notices
	}
	defer d.Close()
	data, err := d.Read(layout.StatusFile, buf, maxStatus)
	if err != nil {
		return "", buf
	}
	written := lifecycle.Parse(data).LastUpdated
	if _, err := time.Parse(time.DateOnly, written); err != nil {
		return "", data[:0]
	}
	return strings.Clone(written), data[:0]
}
