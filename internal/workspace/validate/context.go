package validate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"belay/internal/workspace/decomposition"
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
		Means: "_CONTEXT.md names a package that neither the decomposition gives the deliverable nor its folder is in.",
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
	ruleContextDescription = finding.Rule{Code: "CONTEXT_DESCRIPTION_DIFFERS", Severity: finding.Warning, Section: "4.1",
		Means: "The description of _CONTEXT.md is not the one of the decomposition.",
		Fix:   "copy the description of the decomposition, or correct it there"}
	ruleContextAcceptance = finding.Rule{Code: "CONTEXT_ACCEPTANCE_DIFFERS", Severity: finding.Warning, Section: "4.1",
		Means: "The acceptance criteria of _CONTEXT.md are not those of the decomposition.",
		Fix:   "copy the criteria of the decomposition, or correct them there"}
	ruleContextArtifacts = finding.Rule{Code: "CONTEXT_ARTIFACTS_DIFFER", Severity: finding.Warning, Section: "4.1",
		Means: "The anticipated artifacts of _CONTEXT.md are not those of the decomposition.",
		Fix:   "copy the list of the decomposition, or correct it there"}
	ruleContextScope = finding.Rule{Code: "CONTEXT_SCOPE_DIFFERS", Severity: finding.Warning, Section: "4.1",
		Means: "The scope items of _CONTEXT.md are not those that the decomposition gives the deliverable.",
		Fix:   "make both name the same scope items"}
	ruleContextObjectives = finding.Rule{Code: "CONTEXT_OBJECTIVES_DIFFER", Severity: finding.Warning, Section: "4.1",
		Means: "The objectives of _CONTEXT.md are not those that the decomposition gives the deliverable.",
		Fix:   "make both name the same objectives"}
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
	ruleContextSections, ruleContextSection, ruleContextDescription, ruleContextAcceptance, ruleContextArtifacts, ruleContextScope,
	ruleContextObjectives, ruleNoPointer, rulePointerGone, rulePointerPath,
}

// The labels of header fields, the specification's first.
var (
	nameLabels        = []string{"Name", "Deliverable Name"}
	packageLabels     = []string{"Package"}
	packageIDLabels   = []string{"PackageID", "Package ID"}
	disciplineLabels  = []string{"Discipline"}
	typeLabels        = []string{"Type", "Artifact Type"}
	responsibleLabels = []string{"Responsible", "Responsible Party", "Responsible Role"}
	idLabels          = []string{"Deliverable ID", "DeliverableID"}
)

// contextFile checks _CONTEXT.md (workspace 4).
func (w *worker) contextFile() {
	if t, ok := w.document(scan.Context, layout.ContextFile); ok {
		t.checkContext()
	}
}

func (t *text) checkContext() {
	t.title(&ruleContextTitle, &ruleContextID, "Context: ", false)
	sections := t.sections(layout.ContextFile, &ruleContextSections, &ruleContextSection,
		sectionDescription, sectionAcceptance, sectionArtifacts, sectionScope, sectionDecomposition)
	named := t.decomposition(sections)
	t.contextIDs()
	def, from := t.w.project.definition(t.id, named)
	t.header(nameLabels, &ruleContextMissing, def.Name, def.Short)
	t.header(disciplineLabels, &ruleContextOptional, def.Discipline, false)
	t.header(typeLabels, &ruleContextOptional, def.Type, false)
	t.header(responsibleLabels, &ruleContextOptional, def.Responsible, false)
	t.packageField()
	if from != nil {
		t.contents(sections, def, from.doc)
	}
}

// field is the first field with one of the labels.
func (t *text) field(labels []string) (document.Field, bool) { return t.doc.Field(labels...) }

// contextIDs holds the ids that the file gives against the folder's.
func (t *text) contextIDs() {
	for _, f := range t.doc.Fields(0, t.doc.Len()) {
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
	return slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, label) })
}

// header holds a header field against what the decomposition says. A short name there
// says nothing of blanks and marks.
func (t *text) header(labels []string, missing *finding.Rule, want string, short bool) {
	f, ok := t.field(labels)
	if !ok || f.Value == "" {
		if f, ok = t.sectionField(labels); !ok {
			t.add(missing.At(t.path, 0, "there is no field **%s:**", labels[0]).Of(labels[0]))
			return
		}
		t.add(ruleContextForm.At(t.path, f.Line+1, "%s has a section of its own", labels[0]).Of(f.Value).WithFix("write **%s:** %s", labels[0], shown(bare(f.Value))))
	}
	t.compare(labels[0], f.Line, bare(f.Value), want, short)
}

// sectionField is a field that is written as a section with one line.
func (t *text) sectionField(labels []string) (document.Field, bool) {
	s, ok := t.doc.Section(labels...)
	if !ok {
		return document.Field{}, false
	}
	for i := s.First; i < s.End; i++ {
		value := strings.TrimSpace(t.doc.Line(i))
		if item, ok := listItem(value); ok {
			value = item
		}
		if value != "" {
			return document.Field{Label: s.Text, Value: value, Line: i}, true
		}
	}
	return document.Field{}, false
}

// compare holds a value against the decomposition's; what is open there is not
// compared.
func (t *text) compare(label string, line int, got, want string, short bool) {
	want = bare(want)
	switch {
	case got == want || decomposition.IsOpen(want) || short && letters(got) == letters(want):
	case letters(got) == letters(want):
		t.add(ruleContextSpelled.At(t.path, line+1, "%s is %q, in the decomposition %q", label, shown(got), shown(want)).Of(got))
	default:
		t.add(ruleContextDiffers.At(t.path, line+1, "%s is %q, in the decomposition %q", label, shown(got), shown(want)).Of(got))
	}
}

// letters are those of a text, and its digits, in lower case.
func letters(s string) string { return string(appendLetters(nil, s)) }

// appendLetters appends the letters of a text, and its digits, in lower case. Signs that
// people write out are written out.
func appendLetters(b []byte, s string) []byte {
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b = append(b, byte(r))
		case 'A' <= r && r <= 'Z':
			b = append(b, byte(r)+'a'-'A')
		case r == '&':
			b = append(b, "and"...)
		case r == '×':
			b = append(b, 'x')
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b = utf8.AppendRune(b, unicode.ToLower(r))
		}
	}
	return b
}
