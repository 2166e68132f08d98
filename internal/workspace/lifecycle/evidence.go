package lifecycle

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Content is what a file that a state rests on holds.
type Content int

// The contents. What cannot be read or is too large to be judged is [Filled].
const (
	Absent Content = iota
	// Empty is a file with nothing but blanks.
	Empty
	// NotText is a file that is not UTF-8, or has NUL bytes.
	NotText
	// Placeholder is a semantic lens that was prepared and not generated.
	Placeholder
	Filled
)

// MaxPlaceholder is the largest _SEMANTIC.md that can be a placeholder, in bytes.
const MaxPlaceholder = 8 << 10

// evidenceFiles are the files that states rest on.
var evidenceFiles = append(append([]string{}, layout.DocumentKit...), layout.SemanticFile)

// EvidenceFiles are the names of the files that states rest on, beside _STATUS.md.
func EvidenceFiles() []string { return evidenceFiles }

// ContentOf judges what a file of that name holds.
func ContentOf(name string, data []byte) Content {
	switch {
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return NotText
	case len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))) == 0:
		return Empty
	case name == layout.SemanticFile && len(data) <= MaxPlaceholder && isPlaceholder(document.Parse(data)):
		return Placeholder
	}
	return Filled
}

// isPlaceholder reports a semantic lens that says so of itself, or that has nothing but
// headings and labelled lines.
func isPlaceholder(doc *document.Document) bool {
	fields := map[int]bool{}
	for _, f := range doc.Fields(0, doc.Len()) {
		fields[f.Line] = true
		if same(f.Label, "Status") && strings.Contains(strings.ToUpper(f.Value), "PLACEHOLDER") {
			return true
		}
	}
	for _, h := range doc.Headings() {
		fields[h.Line] = true
	}
	for i := range doc.Len() {
		if !fields[i] && strings.TrimSpace(doc.Line(i)) != "" {
			return false
		}
	}
	return true
}

// Evidence says what a deliverable in a state lacks of the files that the state rests
// on: the document kit from INITIALIZED on, the semantic lens of SEMANTIC_READY. Folder
// is the deliverable's, relative to the project; look says what it has under a name.
func Evidence(folder string, state State, look func(name string) Content) []finding.Finding {
	var all []finding.Finding
	var missing []string
	for _, name := range layout.DocumentKit {
		switch content := look(name); {
		case content == NotText:
			all = append(all, ruleDocumentText.At(path.Join(folder, name), 0, "the document is not UTF-8 text, or has NUL bytes"))
		case !state.Reached(Initialized):
		case content == Absent:
			missing = append(missing, name)
		case content == Empty:
			all = append(all, ruleDocumentEmpty.At(path.Join(folder, name), 0, "the document is empty, and %s rests on it", state))
		}
	}
	if len(missing) > 0 {
		all = append(all, ruleKit.At(folder, 0, "there is no %s, on which %s rests", strings.Join(missing, ", "), state))
	}
	if state != SemanticReady {
		return all
	}
	switch look(layout.SemanticFile) {
	case Absent:
		all = append(all, ruleSemantic.At(folder, 0, "there is no %s, on which %s rests", layout.SemanticFile, state))
	case Empty, Placeholder:
		all = append(all, rulePlaceholder.At(path.Join(folder, layout.SemanticFile), 0, "the file is a placeholder, and %s rests on it", state))
	}
	return all
}

// The kinds of findings about what a state rests on.
var (
	ruleKit = finding.Rule{Code: "DOCUMENT_KIT_MISSING", Severity: finding.Error, Section: "12.3",
		Means: "A deliverable that is INITIALIZED or further has the four documents.",
		Fix:   "write the documents that are named, or put the state right"}
	ruleDocumentEmpty = finding.Rule{Code: "DOCUMENT_EMPTY", Severity: finding.Error, Section: "3.2",
		Means: "A deliverable becomes INITIALIZED by drafts of the four documents; an empty file is none.",
		Fix:   "write the document, or put the state right"}
	ruleDocumentText = finding.Rule{Code: "DOCUMENT_NOT_TEXT", Severity: finding.Error, Section: "2.1",
		Means: "One of the four documents is not UTF-8 text, or has NUL bytes.",
		Fix:   "save the file as UTF-8"}
	ruleSemantic = finding.Rule{Code: "SEMANTIC_MISSING", Severity: finding.Warning, Section: "3.2",
		Means: "A deliverable becomes SEMANTIC_READY by its _SEMANTIC.md.",
		Fix:   "generate _SEMANTIC.md, or put the state right"}
	rulePlaceholder = finding.Rule{Code: "SEMANTIC_PLACEHOLDER", Severity: finding.Warning, Section: "3.2",
		Means: "A deliverable becomes SEMANTIC_READY by a generated _SEMANTIC.md; a placeholder is none.",
		Fix:   "generate _SEMANTIC.md, or put the state right"}
)
