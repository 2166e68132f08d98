package validate

import (
	"net/url"
	"path"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

var (
	ruleReferencesTitle = finding.Rule{Code: "REFERENCES_TITLE", Severity: finding.Warning, Section: "7.1",
		Means: "The title of _REFERENCES.md is \"# References: \", the id and the name.",
		Fix:   "write the title so"}
	ruleReferencesID = finding.Rule{Code: "REFERENCES_ID_MISMATCH", Severity: finding.Error, Section: "7.1",
		Means: "The title of _REFERENCES.md names another deliverable than the folder does.",
		Fix:   "put the right file there, or correct the id"}
	ruleReferencesSections = finding.Rule{Code: "REFERENCES_SECTIONS_MISSING", Severity: finding.Warning, Section: "7.1",
		Means: "_REFERENCES.md has the sections Applicable References and Notes.",
		Fix:   "add the sections that are named"}
	ruleReferencesSection = finding.Rule{Code: "REFERENCES_SECTION_NAME", Severity: finding.Warning, Section: "7.1",
		Means: "A section of _REFERENCES.md is called something else than in the specification.",
		Fix:   "rename the section"}
	ruleReferencesForm = finding.Rule{Code: "REFERENCES_FORM", Severity: finding.Warning, Section: "7.1",
		Means: "A reference is a name, where it is to be found, and why it matters, with dashes between.",
		Fix:   "write \"- Name — Location — Relevance\""}
	ruleReferencesGone = finding.Rule{Code: "REFERENCES_NOT_FOUND", Severity: finding.Warning, Section: "7.2",
		Means: "A reference leads to a file or folder of the project that is not there.",
		Fix:   "correct the path, or put the file there"}
)

var referencesRules = []finding.Rule{
	ruleReferencesTitle, ruleReferencesID, ruleReferencesSections, ruleReferencesSection, ruleReferencesForm, ruleReferencesGone,
}

// references checks _REFERENCES.md (workspace 7).
func (w *worker) references() {
	data, ok := w.read(scan.References, layout.ReferencesFile)
	if !ok {
		return
	}
	if t, ok := w.text(data, w.path(layout.ReferencesFile), w.folder.ID); ok {
		w.titleName(data, layout.ReferencesFile)
		t.checkReferences()
	}
}

func (t *text) checkReferences() {
	t.title(&ruleReferencesTitle, &ruleReferencesID, "References: ", true)
	const applicable = "Applicable References"
	found := t.sections(layout.ReferencesFile, &ruleReferencesSections, &ruleReferencesSection, applicable, "Notes")
	if s, ok := found[applicable]; ok {
		t.referenceForms(s)
	}
	t.referenceTargets()
}

// referenceForms looks at the entries of the list of references. They are reported
// in one finding.
func (t *text) referenceForms(s document.Section) {
	first, odd := 0, 0
	for i := s.First; i < s.End; i++ {
		item, ok := listItem(t.doc.Line(i))
		if !ok || t.doc.Inert(i) {
			continue
		}
		if parts := parted(item); len(parts) >= 3 {
			t.location(i, parts[1])
			continue
		}
		if odd++; odd == 1 {
			first = i + 1
		}
	}
	switch {
	case odd == 1:
		t.add(ruleReferencesForm.At(t.path, first, "1 entry is not of the form Name — Location — Relevance"))
	case odd > 1:
		t.add(ruleReferencesForm.At(t.path, first, "%d entries are not of the form Name — Location — Relevance, this the first", odd))
	}
}

// listItem is the text of a list's entry at the left margin.
func listItem(line string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if item, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(item), true
		}
	}
	return "", false
}

// parted is an entry taken apart at the dashes that have blanks around them.
func parted(item string) (parts []string) {
	begin := 0
	for i := 0; i < len(item); {
		blanks := blanksAt(item, i)
		end := i + blanks
		if i = end; blanks == 0 {
			i++
			continue
		}
		dash := dashAt(item[end:])
		behind := blanksAt(item, end+dash)
		if dash > 0 && behind > 0 {
			parts = append(parts, item[begin:end-blanks])
			begin = end + dash + behind
			i = begin
		}
	}
	return append(parts, item[begin:])
}

func blanksAt(s string, i int) (n int) {
	for i+n < len(s) && strings.IndexByte(" \t\n\f\r", s[i+n]) >= 0 {
		n++
	}
	return n
}

// dashAt is how long the dash is that a text begins with: EM, EN, two hyphens, or
// one.
func dashAt(s string) int {
	for _, d := range []string{"—", "–", "--", "-"} {
		if strings.HasPrefix(s, d) {
			return len(d)
		}
	}
	return 0
}

// location follows the location of a reference that is a path and nothing else. It
// is reported when the project has its first folder and not the rest, or when it says
// that it begins at the file.
func (t *text) location(i int, written string) {
	written = strings.TrimSpace(strings.TrimPrefix(written, "Location:"))
	if !strings.Contains(written, "/") || strings.ContainsAny(written, "[`*{}<>|,;:()?\"") || path.IsAbs(written) {
		return // of links and code [text.referenceTargets] takes care
	}
	if len(written) > maxPath || !t.follows() {
		return
	}
	first, _, _ := strings.Cut(path.Clean(written), "/")
	here := path.Join(t.w.folder.Path, written)
	if strings.HasPrefix(here, "..") || first != ".." && first != "." && t.w.project.places.is(first) != dir.Folder {
		return // it leads out of the project, or to what another finding reports
	}
	if !t.w.project.places.has(written) && !t.w.project.places.has(here) {
		t.add(ruleReferencesGone.At(t.path, i+1, "the project has no %s", shown(written)).Of(written))
	}
}

var (
	linkShape = lazyregexp.New(`\[([^\]]*)\]\(\s*(?:<([^<>]*)>|([^()\s]+(?:\([^()\s]*\)[^()\s]*)*))[^)]*\)`)
	codeShape = lazyregexp.New("`([^`]+)`")
)

// link is the first Markdown link in a text, without the escapes of its target.
func link(s string) (label, target string, ok bool) {
	m := linkShape.FindStringSubmatch(s)
	if m == nil {
		return "", "", false
	}
	return m[1], unescape(m[2] + m[3]), true
}

// referenceTargets follows what leads to files of the project: links, which begin
// at the file, and paths in code, which people begin anywhere.
func (t *text) referenceTargets() {
	for i := range t.doc.Len() {
		line := t.doc.Line(i)
		if t.doc.Inert(i) || !strings.ContainsAny(line, "[`") {
			continue
		}
		for _, m := range linkShape.FindAllStringSubmatch(line, -1) {
			written := m[2] + m[3] // between < and >, or without
			target, _, _ := strings.Cut(written, "#")
			if target == "" || strings.Contains(target, ":") || path.IsAbs(target) || !t.follows() {
				continue // a heading, a URL, or a file elsewhere
			}
			if rel := path.Join(t.w.folder.Path, unescape(target)); !strings.HasPrefix(rel, "..") && !t.w.project.places.has(rel) {
				t.add(ruleReferencesGone.At(t.path, i+1, "the link leads to %s, which is not there", shown(rel)).Of(written))
			}
		}
		for _, m := range codeShape.FindAllStringSubmatch(line, -1) {
			if !isPath(m[1]) || !t.follows() || t.w.project.places.has(path.Join(t.w.folder.Path, m[1])) {
				continue
			}
			if rel, known := t.w.project.places.find(m[1]); rel == "" && known {
				t.add(ruleReferencesGone.At(t.path, i+1, "the project has no %s", shown(m[1])).Of(m[1]))
			}
		}
	}
}

// isPath reports text in code that is a path with folders and nothing else.
func isPath(s string) bool {
	return len(s) <= maxPath && strings.Contains(s, "/") && !strings.ContainsAny(s, " *{}<>|:=()$?\"'") && !strings.Contains(s, "//") && !path.IsAbs(s)
}

// unescape undoes the escapes in a link; what is no escape stays as it is.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
