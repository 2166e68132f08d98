package validate

import (
	"slices"

	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/scan"
)

// evidence checks what the state of the current folder rests on (workspace 2.1, 3.2 and
// 12.3).
func (w *worker) evidence(state lifecycle.State) {
	w.found = append(w.found, lifecycle.Evidence(w.folder.Path, state, w.content)...)
	prepared := state == lifecycle.Open || state == lifecycle.Initialized
	if prepared && !(w.folder.Files | w.folder.Odd).Has(scan.Semantic) {
		w.addMissing(ruleNoSemantic.At(w.folder.Path, 0, "there is no %s", layout.SemanticFile))
	}
}

// documents are the files of the document kit, in the order of their names in
// [layout.DocumentKit].
var documents = []scan.Files{scan.Datasheet, scan.Specification, scan.Guidance, scan.Procedure}

// content is what the current folder has under the name of a file that states rest on.
// What other findings report, such as a link in the file's place, counts as filled.
func (w *worker) content(name string) lifecycle.Content {
	file, most := scan.Semantic, lifecycle.MaxPlaceholder
	if i := slices.Index(layout.DocumentKit, name); i >= 0 {
		file, most = documents[i], int(w.project.o.FileBytes)
	}
	switch {
	case w.folder.Odd.Has(file):
		return lifecycle.Filled
	case !w.folder.Files.Has(file):
		return lifecycle.Absent
	}
	data, ok := w.begin(w.open, name, w.path(name), most)
	if !ok || len(data) > most {
		return lifecycle.Filled
	}
	return lifecycle.ContentOf(name, data)
}
