package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// read reads and parses the document.
func (p *Plan) read() error {
	read := p.o.Read
	if read == nil {
		read = func(path string) ([]byte, error) {
			data, _, err := durable.ReadFile(nil, path, p.o.MaxBytes)
			return data, err
		}
	}
	data, err := read(p.req.DecompositionPath)
	if err != nil {
		return p.unusable("cannot be read: %s", readReason(err, p.o.MaxBytes)).
			WithHint("name a Markdown document that defines packages and deliverables").Because(err)
	}
	p.source = data
	p.doc = decomposition.Parse(filepath.Base(p.req.DecompositionPath), data)
	if line := p.doc.Conflict; line > 0 {
		return p.unusable("cannot be used: it has a conflict of a merge that nobody has resolved, from line %d on", line).
			With("findings", p.doc.Findings).WithHint("resolve the conflict first")
	}
	if len(p.doc.Packages) == 0 || len(p.doc.Deliverables) == 0 {
		why := "it defines no package"
		switch {
		case !p.doc.Text:
			why = "it is not UTF-8 text"
		case len(p.doc.Packages) > 0:
			why = "it defines no deliverable"
		}
		return p.unusable("cannot be used: %s", why).With("findings", p.doc.Findings).WithHint("%s", hint(p.doc.Findings))
	}
	if nameless := p.nameless(); len(nameless) > 0 {
		return p.unusable("cannot be used: the names of %s leave nothing that a folder could bear", finding.Shown(strings.Join(nameless, ", "))).
			With("findings", p.doc.Findings).WithHint("give them names with letters or digits in the decomposition")
	}
	if p.req.ProjectName == "" {
		p.req.ProjectName = oneLine(p.doc.Project())
	}
	if p.req.ProjectName == "" {
		p.req.ProjectName = "Untitled project"
	}
	return nil
}

func (p *Plan) unusable(format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidRequest, "decompositionPath %s", fmt.Sprintf(format, args...)).
		With("field", "decompositionPath").With("decompositionPath", p.req.DecompositionPath)
}

func readReason(err error, most int64) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, durable.ErrNotRegular):
		return "it is not a regular file"
	case errors.Is(err, durable.ErrTooLarge):
		return fmt.Sprintf("it has more than %d bytes", most)
	}
	return "the disk does not give it"
}

// nameless are the packages and deliverables that no folder can be made for.
func (p *Plan) nameless() (ids []string) {
	for _, pkg := range p.doc.Packages {
		if layout.Folder(pkg.ID, pkg.Name) == "" {
			ids = append(ids, pkg.ID)
		}
	}
	for _, del := range p.doc.Deliverables {
		if layout.Folder(del.ID, del.Name) == "" {
			ids = append(ids, del.ID)
		}
	}
	return ids
}

// hint is the next step of the first finding.
func hint(all []finding.Finding) string {
	if len(all) == 0 {
		return "see which forms a decomposition may have with belay project init --help"
	}
	return all[0].Fix
}

// settleCopy decides where the project's copy of the document is, and what becomes
// of one that is there already.
func (p *Plan) settleCopy() error {
	p.copy = path.Join(layout.Decomposition, filepath.Base(p.req.DecompositionPath))
	if p.root == nil {
		return nil
	}
	if rel, ok := p.within(); ok {
		p.copy = rel
		return nil
	}
	was, _, err := durable.ReadFile(p.root, p.copy, p.o.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return p.fail(CopyDecomposition, p.copy, err)
	case string(was) == string(p.source):
		return nil
	}
	p.was = was
	p.archive, err = p.archived(was)
	if err != nil {
		return p.fail(CopyDecomposition, p.copy, err)
	}
	p.findings = append(p.findings, ruleReplaced.At(p.copy, 0, "another version of %s was here; it is %s now", path.Base(p.copy), p.archive))
	return nil
}

// within reports whether the document is one of the project's own already, and
// its path there.
func (p *Plan) within() (string, bool) {
	root, err1 := filepath.EvalSymlinks(p.req.ExecutionRoot)
	file, err2 := filepath.EvalSymlinks(p.req.DecompositionPath)
	if err1 != nil || err2 != nil {
		return "", false
	}
	rel, err := filepath.Rel(filepath.Join(root, layout.Decomposition), file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return path.Join(layout.Decomposition, filepath.ToSlash(rel)), true
}

// archived returns the place in the archive for a copy with this content: the one
// that has it already, as after a crash, or a free one.
func (p *Plan) archived(was []byte) (string, error) {
	dir, ext := path.Join(layout.Decomposition, layout.Archive), path.Ext(p.copy)
	stem := strings.TrimSuffix(path.Base(p.copy), ext) + "_"
	entries, err := list(p.root, dir)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	for _, e := range entries {
		name := e.Name()
		taken[name] = true
		if !strings.HasPrefix(name, stem) || path.Ext(name) != ext {
			continue
		}
		if info, err := e.Info(); err != nil || info.Size() != int64(len(was)) {
			continue
		}
		if got, _, err := durable.ReadFile(p.root, path.Join(dir, name), p.o.MaxBytes); err == nil && bytes.Equal(got, was) {
			return path.Join(dir, name), nil
		}
	}
	stem += p.now.Format("2006-01-02_1504")
	name := stem + ext
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s_%d%s", stem, n, ext)
	}
	return path.Join(dir, name), nil
}
