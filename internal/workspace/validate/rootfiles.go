package validate

import (
	"path"
	"strings"

	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

var (
	ruleInitEmpty = finding.Rule{Code: "INIT_NO_PARAMETERS", Severity: finding.Error, Section: "12.1",
		Means: "INIT.md has the parameters of sessions, as labelled lines.",
		Fix:   "add lines such as **Project Name:** and **Decomposition Reference:**"}
	ruleInitPointer = finding.Rule{Code: "INIT_NO_DECOMPOSITION", Severity: finding.Warning, Section: "12.1",
		Means: "INIT.md should name the decomposition.",
		Fix:   "add **Decomposition Reference:** and the path, relative to the project"}
	ruleInitGone = finding.Rule{Code: "INIT_DECOMPOSITION_NOT_FOUND", Severity: finding.Warning, Section: "12.1",
		Means: "The decomposition that INIT.md names is not at that path, seen from the project.",
		Fix:   "write the path relative to the project"}
	ruleNoCoordination = finding.Rule{Code: "COORDINATION_MISSING", Severity: finding.Warning, Section: "13",
		Means: "A project records how it is coordinated in _Coordination/_COORDINATION.md.",
		Fix:   "write it: # Coordination Record, **Representation:** Schedule-first, Dependency-tracked or Hybrid"}
	ruleNoRepresentation = finding.Rule{Code: "COORDINATION_NO_REPRESENTATION", Severity: finding.Error, Section: "13",
		Means: "_COORDINATION.md says which representation the project has chosen.",
		Fix:   "add **Representation:** Schedule-first, Dependency-tracked or Hybrid"}
	ruleRepresentation = finding.Rule{Code: "COORDINATION_UNKNOWN", Severity: finding.Warning, Section: "13",
		Means: "The representation is none of those that the specification has.",
		Fix:   "choose Schedule-first, Dependency-tracked or Hybrid"}
)

var rootFileRules = []finding.Rule{ruleInitEmpty, ruleInitPointer, ruleInitGone, ruleNoCoordination, ruleNoRepresentation, ruleRepresentation}

// rootFile reads a file that a project has once. It is false where there is none.
func (p *project) rootFile(name string) (*text, bool) {
	d, err := p.places.folder(path.Dir(name))
	if path.Dir(name) == "." {
		d, err = p.places.top, nil
	} else if err == nil {
		defer d.Close()
	}
	if err != nil {
		return nil, false
	}
	switch kind, _, _ := d.Stat(path.Base(name)); kind {
	case dir.Missing:
		return nil, false
	case dir.File:
	default:
		p.add(ruleNoFile.At(name, 0, "is no regular file"))
		return nil, true
	}
	w := &worker{project: p}
	defer func() { p.found, p.files = append(p.found, w.found...), p.files+w.files }()
	data, ok := w.readIn(d, path.Base(name), name)
	if !ok {
		return nil, true
	}
	t, _ := w.text(data, name, "")
	return t, true
}

// checkInit checks INIT.md (workspace 12.1).
func (p *project) checkInit() {
	t, there := p.rootFile(layout.InitFile)
	if !there {
		p.add(ruleNoInit.At("", 0, "there is no %s", layout.InitFile))
	}
	if t == nil {
		return
	}
	fields := t.Fields(0, t.Len())
	if len(fields) == 0 {
		p.add(ruleInitEmpty.At(t.path, 0, "there is no labelled line"))
		return
	}
	for _, f := range fields {
		if !strings.HasPrefix(strings.ToLower(f.Label), "decomposition") {
			continue
		}
		written := strings.ReplaceAll(bare(f.Value), `\`, "/")
		if rel := strings.Trim(path.Clean(written), "/"); path.IsAbs(written) || !p.places.has(rel) {
			p.add(ruleInitGone.At(t.path, f.Line+1, "there is no %s, seen from the project", shown(written)).Of(f.Value))
		}
		return
	}
	p.add(ruleInitPointer.At(t.path, 0, "there is no field **Decomposition Reference:**"))
}

// checkCoordination checks _COORDINATION.md (workspace 13).
func (p *project) checkCoordination() {
	t, there := p.rootFile(layout.CoordinationFile)
	if !there {
		p.add(ruleNoCoordination.At("", 0, "there is no %s", layout.CoordinationFile))
	}
	if t == nil {
		return
	}
	f, ok := t.Field("Representation", "Coordination Representation", "Coordination Mode")
	if !ok || f.Value == "" {
		p.add(ruleNoRepresentation.At(t.path, 0, "there is no field **Representation:**"))
		return
	}
	switch letters(bare(f.Value)) {
	case "schedulefirst", "dependencytracked", "hybrid":
	default:
		p.add(ruleRepresentation.At(t.path, f.Line+1, "the representation is %q", shown(bare(f.Value))).Of(f.Value))
	}
}
