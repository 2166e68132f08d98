package scaffold

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Plan is what a run would make.
type Plan struct {
	o   Options
	req Request
	doc *decomposition.Document
	// source is the document's bytes; copy is where the project has it, relative
	// to the root.
	source []byte
	copy   string
	// archive is where a copy goes whose place the document takes, "" for none; was
	// is what that holds.
	archive string
	was     []byte
	now     time.Time
	root    *os.Root // nil while it does not exist
	absent  bool     // it did not exist when the plan was made
	there   *survey
	// stale are unfinished files that a crash left.
	stale    []string
	steps    []step
	units    []unit
	findings []finding.Finding
	// places are the folders of packages and deliverables, by id.
	places map[string]string
}

// step is a folder or file that is to be there, relative to the root.
type step struct {
	stage Stage
	path  string
	// data is nil for a folder.
	data []byte
}

// unit is a deliverable's folder with its files, made by one worker. The folder's
// step comes first.
type unit struct{ steps []step }

func newPlan(r Request, o Options) (_ *Plan, err error) {
	p := &Plan{o: o, req: r, now: o.Clock().UTC(), places: map[string]string{}}
	if err := p.read(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if err := p.open(); err != nil {
		return nil, err
	}
	if p.there, err = look(p.root); err != nil {
		return nil, p.fail(EnsureRoot, ".", err)
	}
	if err := p.settleCopy(); err != nil {
		return nil, err
	}
	if err := p.planRoot(); err != nil {
		return nil, err
	}
	p.planPackages()
	if err := p.planDeliverables(); err != nil {
		return nil, err
	}
	p.unlisted()
	finding.Sort(p.findings)
	return p, nil
}

func (p *Plan) close() {
	if p.root != nil {
		_ = p.root.Close() // its files reported every failed write
		p.root = nil
	}
}

// open opens the root where it exists.
func (p *Plan) open() error {
	info, err := os.Stat(p.req.ExecutionRoot)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.absent = true
		return nil
	case err == nil && !info.IsDir():
		err = errInTheWay
	}
	if err == nil {
		p.root, err = os.OpenRoot(p.req.ExecutionRoot)
	}
	if err != nil {
		return p.fail(EnsureRoot, ".", err)
	}
	return nil
}

// missing reports whether nothing has the name yet.
func (p *Plan) missing(name string) bool {
	if p.root == nil {
		return true
	}
	_, err := p.root.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// add plans a folder or file that is not there.
func (p *Plan) add(stage Stage, name string, data []byte) {
	if p.missing(name) || data == nil && !isFolder(p.root, name) {
		p.steps = append(p.steps, step{stage, name, data})
	}
}

func (p *Plan) planRoot() error {
	if p.root != nil {
		for _, dir := range []string{".", layout.Decomposition, path.Join(layout.Decomposition, layout.Archive), path.Dir(layout.CoordinationFile)} {
			entries, err := list(p.root, dir)
			if err != nil {
				return p.fail(EnsureRoot, dir, err)
			}
			p.leftovers(dir, entries)
		}
	}
	for _, dir := range layout.ToolRoots {
		p.add(EnsureToolRoot, dir, nil)
	}
	if p.missing(p.copy) {
		p.steps = append(p.steps, step{CopyDecomposition, p.copy, p.source})
	}
	if p.archive != "" {
		p.add(CopyDecomposition, p.archive, p.was)
	}
	p.add(WriteInit, layout.InitFile, p.texts().initFile())
	p.add(WriteCoordination, layout.CoordinationFile, p.texts().coordinationFile())
	return nil
}

// leftovers notes the unfinished files among a folder's entries.
func (p *Plan) leftovers(dir string, entries []fs.DirEntry) {
	for _, e := range entries {
		if isTemp(e.Name()) {
			p.stale = append(p.stale, path.Join(dir, e.Name()))
		}
	}
}

func (p *Plan) planPackages() {
	for _, pkg := range p.doc.Packages {
		want := layout.Folder(pkg.ID, pkg.Name)
		at := p.there.packages[layout.Number(pkg.ID)]
		switch {
		case at == "":
			at = want
		case !p.doc.NamesFolder(at, layout.ParseName(at).ID, pkg.Name):
			p.findings = append(p.findings, ruleNameChanged.At(at, 0, "by its name, the folder of %s would be %s", pkg.ID, want).Of(pkg.Name))
		}
		p.places[pkg.ID] = at
		p.add(CreatePackage, at, nil)
		for _, sub := range layout.PackageFolders {
			p.add(CreatePackageFolder, path.Join(at, sub), nil)
		}
	}
}

// filed are the deliverables that belong to a package.
func (p *Plan) filed() []decomposition.Deliverable {
	return slices.DeleteFunc(slices.Clone(p.doc.Deliverables), func(d decomposition.Deliverable) bool { return d.Package == "" })
}

// unlisted reports folders of what the document does not define.
func (p *Plan) unlisted() {
	tell := func(folders map[string]string, known func(id string) bool) {
		for _, at := range folders {
			if id := layout.ParseName(path.Base(at)).ID; !known(id) {
				p.findings = append(p.findings, ruleNotListed.At(at, 0, "the decomposition does not define %s", id))
			}
		}
	}
	tell(p.there.packages, func(id string) bool { _, ok := p.doc.Package(id); return ok })
	tell(p.there.working, func(id string) bool { _, ok := p.doc.Deliverable(id); return ok })
}
