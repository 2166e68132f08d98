package validate

import (
	"path"
	"strings"

	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/document"
	"belay/internal/workspace/layout"
)

// The labels of the pointer to the decomposition document, the specification's first, and
// those that it has in the section of that name.
var (
	decompositionLabels = []string{"Decomposition file", "Decomposition", "Decomposition document", "Decomposition Reference", "Decomposition path"}
	referenceLabels     = []string{"Reference", "File", "Document", "Path", "Source", "Location", "Decomposition source"}
)

// decomposition checks the pointer to the decomposition document, and returns it
// where it is one of the project's.
func (t *text) decomposition(sections map[string]document.Section) *defined {
	f, ok := t.field(decompositionLabels)
	if !ok || decomposition.IsOpen(bare(f.Value)) {
		if f, ok = t.reference(sections); !ok {
			t.add(ruleNoPointer.At(t.path, 0, "there is no field **Decomposition file:**"))
			return nil
		}
		t.add(ruleContextForm.At(t.path, f.Line+1, "the decomposition has no field of its own").Of(f.Value).
			WithFix("write - **Decomposition file:** and the path under ## %s", sectionDecomposition))
	}
	written := bare(f.Value)
	if _, target, ok := link(f.Value); ok {
		written = path.Join(t.w.folder.Path, target)
	}
	written = strings.TrimSpace(strings.ReplaceAll(written, `\`, "/"))
	rel, _ := t.w.project.places.find(written)
	if rel == "" {
		rel, _ = t.w.project.places.find(path.Join(layout.Decomposition, path.Base(written)))
	}
	switch clean := path.Clean(written); {
	case rel == "":
		t.add(rulePointerGone.At(t.path, f.Line+1, "there is no %s", shown(written)).Of(f.Value))
	case rel != clean:
		t.add(rulePointerPath.At(t.path, f.Line+1, "the document is %s", shown(rel)).Of(f.Value).WithFix("write %s", shown(rel)))
	}
	return t.w.project.decompositions[rel]
}

// reference is the pointer in another form: under another label, or as a path or a link
// alone in the section of the decomposition.
func (t *text) reference(sections map[string]document.Section) (document.Field, bool) {
	if s, ok := sections[sectionDecomposition]; ok {
		labelled := map[int]document.Field{}
		for _, f := range t.doc.Fields(s.First, s.End) {
			labelled[f.Line] = f
		}
		for i := s.First; i < s.End; i++ {
			f, ok := labelled[i]
			if !ok {
				item, _ := listItem(t.doc.Line(i))
				f = document.Field{Value: item, Line: i}
				if item == "" {
					f.Value = strings.TrimSpace(t.doc.Line(i))
				}
			}
			if (!ok || isLabel(f.Label, referenceLabels)) && namesDocument(f.Value) {
				return f, true
			}
		}
	}
	for _, f := range t.doc.Fields(0, t.doc.Len()) {
		if isLabel(f.Label, referenceLabels) && namesDocument(f.Value) {
			return f, true
		}
	}
	return document.Field{}, false
}

// namesDocument reports a value that is the path of a Markdown document, or a link to
// one, and nothing else.
func namesDocument(value string) bool {
	if _, target, ok := link(value); ok {
		value = target
	}
	return strings.HasSuffix(strings.ToLower(bare(value)), ".md")
}
