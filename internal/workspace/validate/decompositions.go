package validate

import (
	"path"
	"slices"
	"strings"
	"sync"

	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// defined is a decomposition document.
type defined struct {
	path string
	doc  *decomposition.Document
	// makes is what project init would make of it now.
	makes func() *made
}

// maxDecomposition is how much of a decomposition document is read.
const maxDecomposition = 16 << 20

// readDecompositions reads the documents in _Decomposition. Those that define
// nothing are notes, of which nothing is asked.
func (p *project) readDecompositions() {
	p.decompositions = map[string]*defined{}
	d, err := p.places.folder(layout.Decomposition)
	if err != nil {
		return
	}
	defer d.Close()
	var names []string
	if err := d.Each(make([]byte, 32<<10), func(name []byte, kind dir.Kind) {
		if kind == dir.File && strings.HasSuffix(string(name), ".md") {
			names = append(names, string(name))
		}
	}); err != nil {
		return // the scan reports it
	}
	slices.Sort(names)
	for _, name := range names {
		at := path.Join(layout.Decomposition, name)
		data, err := d.Read(name, nil, maxDecomposition)
		if err != nil {
			if !dir.Gone(err) {
				p.add(ruleFileUnreadable.At(at, 0, "cannot be read: %s", dir.Reason(err)))
			}
			continue
		}
		p.files++
		parsed := decomposition.Parse(at, data)
		doc := &defined{at, parsed, sync.OnceValue(func() *made { return p.made(at, parsed) })}
		p.decompositions[at] = doc
		if len(doc.doc.Packages) > 0 && len(doc.doc.Deliverables) > 0 {
			p.defining = append(p.defining, doc)
			p.found = append(p.found, doc.doc.Findings...)
		}
	}
}

// checkDecompositions asks for one document (workspace 12.1).
func (p *project) checkDecompositions() {
	kind, _, _ := p.top.Stat(layout.Decomposition)
	switch {
	case len(p.defining) > 0:
	case kind != dir.Folder:
		p.add(ruleNoDecomposition.At("", 0, "there is no folder %s", layout.Decomposition))
	case len(p.decompositions) == 0:
		p.add(ruleNoDecomposition.At(layout.Decomposition, 0, "there is no document"))
	default:
		p.add(ruleNoDecomposition.At(layout.Decomposition, 0, "no document defines packages and deliverables"))
	}
}

// definedPackage is a package as the first decomposition has it that does.
func (p *project) definedPackage(id string) (decomposition.Package, bool) {
	for _, d := range p.defining {
		if def, ok := d.doc.Package(id); ok {
			return def, true
		}
	}
	return decomposition.Package{}, false
}

// definition is a deliverable as a decomposition has it, the one named at first.
func (p *project) definition(id string, named *defined) (decomposition.Deliverable, *defined) {
	for _, d := range p.defining {
		if named != nil && d != named {
			continue
		}
		if def, ok := d.doc.Deliverable(id); ok {
			return def, d
		}
	}
	return decomposition.Deliverable{}, nil
}

// shown is a value from a decomposition or a file for a message.
func shown(s string) string { return finding.Shown(s) }
