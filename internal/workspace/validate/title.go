package validate

import (
	"bytes"
	"slices"
	"strings"

	"belay/internal/workspace/layout"
)

// titleName holds the name in the title of a file of the current folder against the
// names that decompositions give the deliverable (workspace 3.1, 5.2 and 7.1). Titles in
// another form have findings of their own; one without an id is not looked at.
func (w *worker) titleName(data []byte, file string) {
	title, line := titleOf(data)
	_, after, ok := strings.Cut(title, w.folder.ID)
	def, from := w.project.definition(w.folder.ID, nil)
	if !ok || from == nil || len(after) == len(def.Name)+1 && after[1:] == def.Name {
		return // most
	}
	names := w.names()
	if len(names) == 0 {
		return
	}
	name := strings.Trim(after, " \t-–—:*")
	at := w.path(file)
	switch {
	case after != "" && letters(after[:1]) != "" || strings.HasPrefix(after, "_"):
		return // the id goes on: it is another one
	case name == "" && strings.HasPrefix(title, "# ") && strings.Contains(title, ": "+w.folder.ID):
		w.add(ruleTitleName.At(at, line, "the title gives no name, the decomposition %q", shown(names[0])).WithFix("add the name %q", shown(names[0])))
	case name == "" || slices.ContainsFunc(names, func(n string) bool { return letters(n) == letters(name) }):
	default:
		w.add(ruleTitleName.At(at, line, "the title says %q, the decomposition %q", shown(name), shown(names[0])).Of(name).WithFix("write the name %q", shown(names[0])))
	}
}

// names are those that decompositions give the current deliverable.
func (w *worker) names() (all []string) {
	for _, d := range w.project.defining {
		if def, ok := d.doc.Deliverable(w.folder.ID); ok && layout.Sanitize(def.Name) != "" {
			all = append(all, def.Name)
		}
	}
	return all
}

// titleOf is the first line of a file that is a heading of level 1, and its number, 0
// where there is none.
func titleOf(data []byte) (title string, line int) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for text := range bytes.Lines(data) {
		line++
		if text = bytes.TrimSpace(text); bytes.HasPrefix(text, []byte("# ")) {
			return string(text), line
		}
	}
	return "", 0
}
