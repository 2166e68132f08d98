package validate

import (
	"context"
	"path"
	"slices"
	"strings"

	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// defined is a decomposition document.
type defined struct {
	path string
	doc  *decomposition.Document
}

const (
	// maxDecomposition is how much of a decomposition document is read.
	maxDecomposition = 16 << 20
	// maxDecompositionBytes bounds the documents together, beside their number: all that they
	// say is kept.
	maxDecompositionBytes = 2 * maxDecomposition
)

// readDecompositions reads the documents in _Decomposition. Those that define
// nothing are notes, of which nothing is asked. The error is ctx's.
func (p *project) readDecompositions(ctx context.Context) error {
	p.decompositions = map[string]*defined{}
	d, err := p.places.folder(layout.Decomposition)
	if err != nil {
		return nil //nolint:nilerr // there are none
	}
	defer d.Close()
	names, more, err := documentsIn(d)
	if err != nil {
		return nil //nolint:nilerr // the scan reports it
	}
	left := maxDecompositionBytes
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := path.Join(layout.Decomposition, name)
		data, err := d.Read(name, nil, maxDecomposition)
		if err != nil {
			if !dir.Gone(err) {
				p.add(ruleFileUnreadable.At(at, 0, "cannot be read: %s", dir.Reason(err)))
			}
			continue
		}
		if left -= len(data); left < 0 {
			more += len(names) - i
			break
		}
		p.files++
		p.keepDecomposition(at, decomposition.Parse(at, data))
	}
	if more > 0 {
		p.add(ruleManyDecompositions.At(layout.Decomposition, 0, "%d of its documents were not read; the limits are %d documents and %d bytes in all", more, layout.MaxDecompositions, maxDecompositionBytes))
	}
	return nil
}

func (p *project) keepDecomposition(at string, parsed *decomposition.Document) {
	doc := &defined{at, parsed}
	p.decompositions[at] = doc
	if len(parsed.Packages) > 0 && len(parsed.Deliverables) > 0 {
		p.defining = append(p.defining, doc)
		p.found = append(p.found, parsed.Findings...)
	}
}

// documentsIn are the names of the first documents in a folder, sorted, and how many more
// there are.
func documentsIn(d dir.Dir) (names []string, more int, err error) {
	cut := func() {
		slices.Sort(names)
		if over := len(names) - layout.MaxDecompositions; over > 0 {
			names, more = names[:layout.MaxDecompositions], more+over
		}
	}
	err = d.Each(make([]byte, 32<<10), func(name []byte, kind dir.Kind) {
		if kind == dir.File && strings.HasSuffix(string(name), ".md") {
			if names = append(names, string(name)); len(names) == 10*layout.MaxDecompositions {
				cut() // a folder may have millions
			}
		}
	})
	cut()
	return names, more, err
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
