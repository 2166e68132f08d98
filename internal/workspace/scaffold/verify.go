package scaffold

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"belay/internal/durable"
	"belay/internal/workspace"
	"belay/internal/workspace/coordination"
	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// result says what the run did and what there is now.
func (p *Plan) result(created Created) Result {
	name, mode := stands(p.root, p.req)
	r := Result{
		ExecutionRoot: p.req.ExecutionRoot, DecompositionPath: p.req.DecompositionPath, CopiedDecompositionPath: p.abs(p.copy),
		ProjectName: name, CoordinationMode: mode,
		PackageCount: len(p.doc.Packages), DeliverableCount: len(p.filed()), Created: created,
		LayoutValidation: p.layout(), PreparationCompatibility: p.compatibility(),
		Findings: p.Findings(),
	}
	if p.archive != "" {
		r.ArchivedDecompositionPath = p.abs(p.archive)
	}
	return r
}

// stands is how the project is called and coordinated: files that were there say so, and stay.
func stands(root *os.Root, r Request) (name, mode string) {
	name, mode = r.ProjectName, r.CoordinationMode
	if root == nil {
		return name, mode
	}
	if data, _, err := durable.ReadFile(root, layout.InitFile, coordination.MaxBytes); err == nil {
		if f, ok := document.Parse(data).Field("Project Name"); ok && f.Value != "" {
			name = oneLine(f.Value)
		}
	}
	if record, err := coordination.Read(r.ExecutionRoot); err == nil && record.Mode != "" {
		mode = string(record.Mode)
	}
	return name, mode
}

// Findings are those of the document, at the place of the project's copy, and
// those of the run.
func (p *Plan) Findings() []finding.Finding {
	all := []finding.Finding{}
	for _, f := range p.doc.Findings {
		f.Path = p.copy
		all = append(all, f)
	}
	return append(all, p.findings...)
}

// layout looks at what is there after a run.
func (p *Plan) layout() Layout {
	l := Layout{Valid: true, Packages: []LayoutUnit{}, Deliverables: []LayoutUnit{}}
	l.ExecutionRoot = LayoutRoot{Path: p.req.ExecutionRoot, Missing: p.lacks(".", layout.ToolRoots, []string{layout.InitFile, layout.CoordinationFile, p.copy})}
	l.ExecutionRoot.Valid = len(l.ExecutionRoot.Missing) == 0
	unit := func(id string, folders, files []string) LayoutUnit {
		at := p.places[id]
		missing := p.lacks(at, folders, files)
		l.Valid = l.Valid && len(missing) == 0
		return LayoutUnit{ID: id, Path: p.abs(at), Valid: len(missing) == 0, Missing: missing}
	}
	l.Valid = l.ExecutionRoot.Valid
	for _, pkg := range p.doc.Packages {
		l.Packages = append(l.Packages, unit(pkg.ID, layout.PackageFolders, nil))
	}
	for _, del := range p.filed() {
		l.Deliverables = append(l.Deliverables, unit(del.ID, nil, layout.Minimum))
	}
	return l
}

// lacks lists what is not below a folder, relative to it.
func (p *Plan) lacks(at string, folders, files []string) []string {
	missing := []string{}
	for _, dir := range folders {
		if !isFolder(p.root, path.Join(at, dir)) {
			missing = append(missing, dir)
		}
	}
	for _, f := range files {
		if info, err := p.root.Stat(path.Join(at, f)); err != nil || !info.Mode().IsRegular() {
			missing = append(missing, f)
		}
	}
	return missing
}

// compatibility says whether PREPARATION could work in the deliverables' folders:
// each a folder that can be written to, and none of its files a folder or
// write-protected. A file that is absent is no hindrance.
func (p *Plan) compatibility() Compatibility {
	c := Compatibility{Deliverables: []Readiness{}}
	for _, del := range p.filed() {
		at := p.places[del.ID]
		r := Readiness{ID: del.ID, Path: p.abs(at), Issues: p.hindrances(at)}
		r.Ready = len(r.Issues) == 0
		c.DeliverablesChecked++
		c.IssueCount += len(r.Issues)
		c.Deliverables = append(c.Deliverables, r)
	}
	c.Ready = c.IssueCount == 0
	return c
}

func (p *Plan) hindrances(at string) []string {
	info, err := p.root.Stat(at)
	switch {
	case err != nil:
		return []string{"the folder is missing"}
	case !info.IsDir():
		return []string{"the deliverable's place is taken by something that is no folder"}
	}
	issues := []string{}
	if !workspace.Writable(filepath.Join(p.req.ExecutionRoot, filepath.FromSlash(at))) {
		issues = append(issues, "the folder cannot be written to")
	}
	for _, name := range slices.Sorted(slices.Values(layout.Minimum)) {
		info, err := p.root.Stat(path.Join(at, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			issues = append(issues, name+" cannot be looked at")
		case info.IsDir():
			issues = append(issues, name+" is a folder")
		case info.Mode().Perm()&0o200 == 0:
			issues = append(issues, name+" is write-protected")
		}
	}
	return issues
}
