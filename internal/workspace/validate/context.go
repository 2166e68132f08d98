package validate

import (
	"path"
	"strings"
	"unicode"

	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

var (
	ruleContextTitle = finding.Rule{Code: "CONTEXT_TITLE", Severity: finding.Warning, Section: "4.1",
		Means: "The title of _CONTEXT.md is \"# Context: \" and the id.",
		Fix:   "write the title so"}
	ruleContextID = finding.Rule{Code: "CONTEXT_ID_MISMATCH", Severity: finding.Error, Section: "12.3",
		Means: "_CONTEXT.md names another deliverable than the folder does.",
		Fix:   "put the right file there, or correct the id"}
	ruleContextPackage = finding.Rule{Code: "CONTEXT_PACKAGE_MISMATCH", Severity: finding.Error, Section: "12.3",
		Means: "_CONTEXT.md names another package than the one that the folder lies in.",
		Fix:   "correct the package, or move the folder"}
	ruleContextMissing = finding.Rule{Code: "CONTEXT_FIELD_MISSING", Severity: finding.Error, Section: "4.1",
		Means: "_CONTEXT.md has a name and a package, so that people know what the folder is.",
		Fix:   "add the field that is named, with the words of the decomposition"}
	ruleContextOptional = finding.Rule{Code: "CONTEXT_FIELD_ABSENT", Severity: finding.Warning, Section: "4.1",
		Means: "_CONTEXT.md should have a discipline, a type and a responsible role.",
		Fix:   "add the field that is named, TBD where nobody knows"}
	ruleContextDiffers = finding.Rule{Code: "CONTEXT_FIELD_DIFFERS", Severity: finding.Error, Section: "4.2",
		Means: "A header field of _CONTEXT.md must be what the decomposition says.",
		Fix:   "make both say the same"}
	ruleContextSpelled = finding.Rule{Code: "CONTEXT_FIELD_SPELLED", Severity: finding.Warning, Section: "4.2",
		Means: "A header field of _CONTEXT.md differs from the decomposition in blanks, marks or letter case alone.",
		Fix:   "write it as the decomposition does"}
	ruleContextForm = finding.Rule{Code: "CONTEXT_FIELD_FORM", Severity: finding.Warning, Section: "4.1",
		Means: "A field of _CONTEXT.md is written in another form than the specification's.",
		Fix:   "write **Package:** PKG-XX and the name"}
	ruleContextSections = finding.Rule{Code: "CONTEXT_SECTIONS_MISSING", Severity: finding.Warning, Section: "4.1",
		Means: "_CONTEXT.md has sections for description, acceptance, artifacts, traceability and the decomposition.",
		Fix:   "add the sections that are named"}
	ruleContextSection = finding.Rule{Code: "CONTEXT_SECTION_NAME", Severity: finding.Warning, Section: "4.1",
		Means: "A section of _CONTEXT.md is called something else than in the specification.",
		Fix:   "rename the section"}
	ruleNoPointer = finding.Rule{Code: "CONTEXT_NO_DECOMPOSITION", Severity: finding.Error, Section: "4.2",
		Means: "_CONTEXT.md must name the decomposition document that it comes from.",
		Fix:   "add \"- **Decomposition file:** \" and the path under ## Decomposition Reference"}
	rulePointerGone = finding.Rule{Code: "CONTEXT_DECOMPOSITION_NOT_FOUND", Severity: finding.Error, Section: "4.2",
		Means: "The decomposition document that _CONTEXT.md names is not there.",
		Fix:   "correct the path, or put the document back"}
	rulePointerPath = finding.Rule{Code: "CONTEXT_DECOMPOSITION_PATH", Severity: finding.Warning, Section: "4.2",
		Means: "The decomposition document is found, but not at the path that is written, seen from the project.",
		Fix:   "write the path relative to the project"}
)

var contextRules = []finding.Rule{
	ruleContextTitle, ruleContextID, ruleContextPackage, ruleContextMissing, ruleContextOptional, ruleContextDiffers, ruleContextSpelled, ruleContextForm,
	ruleContextSections, ruleContextSection, ruleNoPointer, rulePointerGone, rulePointerPath,
}

// The labels of header fields, the specification's first.
var (
	nameLabels          = []string{"Name", "Deliverable Name"}
	packageLabels       = []string{"Package"}
	packageIDLabels     = []string{"PackageID", "Package ID"}
	disciplineLabels    = []string{"Discipline"}
	typeLabels          = []string{"Type", "Artifact Type"}
	responsibleLabels   = []string{"Responsible", "Responsible Party", "Responsible Role"}
	decompositionLabels = []string{"Decomposition file", "Decomposition", "Decomposition document"}
	idLabels            = []string{"Deliverable ID", "DeliverableID"}
)

// contextFile checks _CONTEXT.md (workspace 4).
func (w *worker) contextFile() {
	if t, ok := w.document(scan.Context, layout.ContextFile); ok {
		t.checkContext()
	}
}

func (t *text) checkContext() {
	t.title(&ruleContextTitle, &ruleContextID, "Context: ", false)
	t.sections(layout.ContextFile, &ruleContextSections, &ruleContextSection,
		"Description", "Acceptance Criteria", "Anticipated Artifacts", "Scope Traceability", "Decomposition Reference")
	named := t.decomposition()
	t.contextIDs()
	def, _ := t.w.definition(t.id, named)
	t.header(nameLabels, &ruleContextMissing, def.Name)
	t.header(disciplineLabels, &ruleContextOptional, def.Discipline)
	t.header(typeLabels, &ruleContextOptional, def.Type)
	t.header(responsibleLabels, &ruleContextOptional, def.Responsible)
	t.packageField()
}

// field is the first field with one of the labels.
func (t *text) field(labels []string) (document.Field, bool) { return t.Field(labels...) }

// contextIDs holds the ids that the file gives against the folder's.
func (t *text) contextIDs() {
	for _, f := range t.Fields(0, t.Len()) {
		if !isLabel(f.Label, idLabels) {
			continue
		}
		if other := otherID(f.Value, t.id); other != "" {
			t.add(ruleContextID.At(t.path, f.Line+1, "the file names %s, the folder is %s", other, t.id).Of(f.Value))
		} else if bare(f.Value) != t.id {
			t.add(ruleContextForm.At(t.path, f.Line+1, "%s holds more than the id", f.Label).Of(f.Value).WithFix("write **%s:** %s", f.Label, t.id))
		}
	}
}

func isLabel(label string, labels []string) bool {
	for _, l := range labels {
		if strings.EqualFold(l, label) {
			return true
		}
	}
	return false
}

// header holds a header field against what the decomposition says.
func (t *text) header(labels []string, missing *finding.Rule, want string) {
	f, ok := t.field(labels)
	if !ok || f.Value == "" {
		t.add(missing.At(t.path, 0, "there is no field **%s:**", labels[0]).Of(labels[0]))
		return
	}
	t.compare(labels[0], f.Line, bare(f.Value), want)
}

// compare holds a value against the decomposition's; what is open there is not
// compared.
func (t *text) compare(label string, line int, got, want string) {
	want = bare(want)
	switch {
	case got == want || isOpen(want):
	case letters(got) == letters(want):
		t.add(ruleContextSpelled.At(t.path, line+1, "%s is %q, in the decomposition %q", label, shown(got), shown(want)).Of(got))
	default:
		t.add(ruleContextDiffers.At(t.path, line+1, "%s is %q, in the decomposition %q", label, shown(got), shown(want)).Of(got))
	}
}

// letters are those of a text, and its digits, in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, spelled.Replace(s))
}

var spelled = strings.NewReplacer("&", "and", "×", "x")

// packageField checks "**Package:** PKG-01 Name", also in two fields and with a
// dash.
func (t *text) packageField() {
	f, ok := t.field(packageLabels)
	if !ok || f.Value == "" {
		t.add(ruleContextMissing.At(t.path, 0, "there is no field **Package:**").Of("Package"))
		return
	}
	id, name, _ := strings.Cut(bare(f.Value), " ")
	form := ""
	if !layout.IsPackageID(id) {
		// The id has a field of its own.
		name = bare(f.Value)
		own, ok := t.field(packageIDLabels)
		if id = bare(own.Value); !ok || !layout.IsPackageID(id) {
			t.add(ruleContextForm.At(t.path, f.Line+1, "the package has no id").Of(f.Value))
			return
		}
		form = "the package's id has a field of its own"
	}
	trimmed := strings.TrimLeft(name, " -–—:")
	if form == "" && trimmed != name {
		form = "there is more than a blank between the package's id and its name"
	}
	if form != "" {
		t.add(ruleContextForm.At(t.path, f.Line+1, "%s", form).Of(f.Value).WithFix("write **Package:** %s %s", id, shown(trimmed)))
	}
	folder, _, _ := strings.Cut(t.w.folder.Package, "_")
	if layout.Number(id) != layout.Number(folder) {
		t.add(ruleContextPackage.At(t.path, f.Line+1, "the file names %s, the folder lies in %s", id, folder).Of(f.Value))
		return
	}
	if def, ok := t.w.definedPackage(id); ok {
		t.compare("Package", f.Line, trimmed, def.Name)
	}
}

// decomposition checks the pointer to the decomposition document, and returns it
// where it is one of the project's.
func (t *text) decomposition() *defined {
	f, ok := t.field(decompositionLabels)
	if !ok || isOpen(bare(f.Value)) {
		t.add(ruleNoPointer.At(t.path, 0, "there is no field **Decomposition file:**"))
		return nil
	}
	written := bare(f.Value)
	if _, target, ok := link(f.Value); ok {
		written = path.Join(t.w.folder.Path, target)
	}
	written = strings.TrimSpace(strings.ReplaceAll(written, `\`, "/"))
	rel, _ := t.w.places.find(written)
	if rel == "" {
		rel, _ = t.w.places.find(path.Join(layout.Decomposition, path.Base(written)))
	}
	switch clean := path.Clean(written); {
	case rel == "":
		t.add(rulePointerGone.At(t.path, f.Line+1, "there is no %s", shown(written)).Of(f.Value))
	case rel != clean:
		t.add(rulePointerPath.At(t.path, f.Line+1, "the document is %s", shown(rel)).Of(f.Value).WithFix("write %s", shown(rel)))
	}
	return t.w.decompositions[rel]
}
