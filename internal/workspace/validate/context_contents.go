package validate

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// The sections of _CONTEXT.md (workspace 4.1).
const (
	sectionDescription   = "Description"
	sectionAcceptance    = "Acceptance Criteria"
	sectionArtifacts     = "Anticipated Artifacts"
	sectionScope         = "Scope Traceability"
	sectionDecomposition = "Decomposition Reference"
)

// contents holds the sections against the definition of the deliverable. What the
// decomposition leaves open is not compared, nor is a section that is missing.
func (t *text) contents(sections map[string]document.Section, def decomposition.Deliverable, doc *decomposition.Document) {
	t.words(sections, sectionDescription, &ruleContextDescription, []string{def.Description}, false)
	t.words(sections, sectionAcceptance, &ruleContextAcceptance, def.Acceptance, false)
	t.words(sections, sectionArtifacts, &ruleContextArtifacts, def.Artifacts, true)
	first, traced := t.traced()
	if first == 0 {
		return
	}
	t.ids(&ruleContextScope, first, def.ScopeItems, doc.ScopeItemsIn(traced))
	t.ids(&ruleContextObjectives, first, def.Objectives, doc.ObjectivesIn(traced))
}

// words holds the words of a section against those of the decomposition: marks, blanks,
// letter case and how a list is written do not count. An empty section is right where it
// may be empty.
func (t *text) words(sections map[string]document.Section, name string, rule *finding.Rule, want []string, mayBeEmpty bool) {
	s, ok := sections[name]
	if !ok || len(want) == 0 || len(want) == 1 && decomposition.IsOpen(bare(want[0])) {
		return
	}
	w := t.w
	w.left, w.right = w.left[:0], w.right[:0]
	for _, value := range want {
		for line := range strings.Lines(value) {
			w.left = appendLetters(w.left, unlisted(line))
		}
	}
	for i := s.First; i < s.End; i++ {
		w.right = appendLetters(w.right, unlisted(t.doc.Line(i)))
	}
	if bytes.Equal(w.left, w.right) {
		return
	}
	wanted, got := strings.Join(want, "\n"), t.body(s)
	switch {
	case decomposition.IsOpen(bare(got)) && mayBeEmpty:
	case decomposition.IsOpen(bare(got)):
		t.add(rule.At(t.path, s.Line+1, "the section %s says nothing, the decomposition %q", name, shown(wanted)))
	default:
		t.add(rule.At(t.path, s.Line+1, "the section %s says %q, the decomposition %q", name, shown(got), shown(wanted)))
	}
}

// unlisted is a line without what makes it an item of a list.
func unlisted(line string) string {
	line = strings.TrimLeft(line, " \t")
	rest := strings.TrimLeft(line, "0123456789")
	if rest != line && len(line)-len(rest) <= 3 && rest != "" && (rest[0] == '.' || rest[0] == ')') {
		return rest[1:]
	}
	return line
}

// body is the text of a section without the marks of lists.
func (t *text) body(s document.Section) string {
	var b strings.Builder
	for i := s.First; i < s.End; i++ {
		if line := strings.TrimSpace(unlisted(t.doc.Line(i))); line != "" && line != "---" {
			item, ok := listItem(line)
			if !ok {
				item = line
			}
			b.WriteString(item + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// traced is what the file says of scope items and objectives: the sections and labelled
// lines about them. First is its first line, 0 where there is none.
func (t *text) traced() (first int, said string) {
	all := t.w.left[:0]
	level := 0 // of the section that the walk is in, 0 for none of them
	headings := t.doc.Headings()
	for i := range t.doc.Len() {
		line := t.doc.Line(i)
		if len(headings) > 0 && headings[0].Line == i {
			h := headings[0]
			headings = headings[1:]
			if level == 0 || h.Level <= level {
				level = 0
				if h.Level > 1 && traces(h.Text) {
					level = h.Level
				}
			}
		}
		if t.doc.Commented(i) || level == 0 && (!strings.Contains(line, "**") || !traces(line) || t.doc.Fenced(i)) {
			continue
		}
		first = cmp.Or(first, i+1)
		all = append(append(all, line...), '\n')
	}
	t.w.left = all
	return first, string(all)
}

// traces reports a heading or a labelled line about scope items or objectives.
func traces(s string) bool {
	label, _, _ := strings.Cut(s, ":")
	label = strings.ToLower(label)
	return strings.Contains(label, "scope") || strings.Contains(label, "objective") || strings.Contains(label, "traceab")
}

// maxNamed bounds the ids that one message names.
const maxNamed = 10

// ids holds the ids that the file names against those of the decomposition.
func (t *text) ids(rule *finding.Rule, line int, want, got []string) {
	if len(want) == 0 {
		return
	}
	var parts []string
	for _, side := range []struct {
		what       string
		all, other []string
	}{{"lacks", want, got}, {"names beyond the decomposition", got, want}} {
		only := slices.DeleteFunc(slices.Clone(side.all), func(id string) bool {
			return slices.ContainsFunc(side.other, func(o string) bool { return layout.Number(o) == layout.Number(id) })
		})
		if len(only) == 0 {
			continue
		}
		text := strings.Join(only[:min(len(only), maxNamed)], ", ")
		if more := len(only) - maxNamed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, side.what+" "+text)
	}
	if len(parts) > 0 {
		t.add(rule.At(t.path, line, "the file %s", strings.Join(parts, "; it ")))
	}
}
