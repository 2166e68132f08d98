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
	ruleCoordinationConflict = finding.Rule{Code: "COORDINATION_CONFLICT", Severity: finding.Error, Section: "13",
		Means: "_COORDINATION.md has a conflict of a merge that nobody has resolved. Neither side's representation counts.",
		Fix:   "keep what is right of both sides, and remove the marks"}
	ruleNoRepresentation = finding.Rule{Code: "COORDINATION_NO_REPRESENTATION", Severity: finding.Error, Section: "13",
		Means: "_COORDINATION.md says which representation the project has chosen.",
		Fix:   "add **Representation:** Schedule-first, Dependency-tracked or Hybrid"}
	ruleRepresentation = finding.Rule{Code: "COORDINATION_UNKNOWN", Severity: finding.Warning, Section: "13",
		Means: "The representation is none of those that the specification has.",
		Fix:   "choose Schedule-first, Dependency-tracked or Hybrid"}
)

var rootFileRules = []finding.Rule{ruleInitEmpty, ruleInitPointer, ruleInitGone, ruleNoCoordination, ruleCoordinationConflict, ruleNoRepresentation, ruleRepresentation}

// rootFile checks a file that a project has once; missing is what to say where there
// is none.
func (p *project) rootFile(name string, missing finding.Finding, check func(*text)) {
	d := p.top
	if above := path.Dir(name); above != "." {
		var err error
		if d, err = p.places.folder(above); err != nil {
			p.add(missing)
			return
		}
		defer d.Close()
	}
	switch kind, _, _ := d.Stat(path.Base(name)); kind {
	case dir.Missing:
		p.add(missing)
		return
	case dir.File:
	default:
		p.add(ruleNoFile.At(name, 0, "is no regular file"))
		return
	}
	w := &worker{project: p}
	if data, ok := w.readIn(d, path.Base(name), name); ok {
		if t, ok := w.text(data, name, ""); ok {
			check(t)
		}
	}
	p.found, p.files = append(p.found, w.found...), p.files+w.files
}

// checkInit checks INIT.md (workspace 12.1).
func (p *project) checkInit() {
	p.rootFile(layout.InitFile, p.first().makes(ruleNoInit.At("", 0, "there is no %s", layout.InitFile)), (*text).checkInit)
}

// checkCoordination checks _COORDINATION.md (workspace 13).
func (p *project) checkCoordination() {
	p.rootFile(layout.CoordinationFile, p.first().makes(ruleNoCoordination.At("", 0, "there is no %s", layout.CoordinationFile)), (*text).checkCoordination)
}

func (t *text) checkInit() {
	fields := t.doc.Fields(0, t.doc.Len())
	if len(fields) == 0 {
		t.add(ruleInitEmpty.At(t.path, 0, "there is no labelled line"))
		return
	}
	for _, f := range fields {
		if !strings.HasPrefix(strings.ToLower(f.Label), "decomposition") {
			continue
		}
		written := strings.ReplaceAll(bare(f.Value), `\`, "/")
		if rel := strings.Trim(path.Clean(written), "/"); path.IsAbs(written) || !t.w.project.places.has(rel) {
			t.add(ruleInitGone.At(t.path, f.Line+1, "there is no %s, seen from the project", shown(written)).Of(f.Value))
		}
		return
	}
	t.add(ruleInitPointer.At(t.path, 0, "there is no field **Decomposition Reference:**"))
}

func (t *text) checkCoordination() {
	if line := t.doc.Conflict(); line > 0 {
		t.add(ruleCoordinationConflict.At(t.path, line, "a conflict of a merge begins here"))
		return
	}
	f, ok := t.doc.Field("Representation", "Coordination Representation", "Coordination Mode")
	if !ok || f.Value == "" {
		t.add(ruleNoRepresentation.At(t.path, 0, "there is no field **Representation:**"))
		return
	}
	switch letters(bare(f.Value)) {
	case "schedulefirst", "dependencytracked", "hybrid":
	default:
		t.add(ruleRepresentation.At(t.path, f.Line+1, "the representation is %q", shown(bare(f.Value))).Of(f.Value))
	}
}
