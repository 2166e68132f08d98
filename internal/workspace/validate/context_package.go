package validate

import (
	"strings"

	"belay/internal/workspace/layout"
)

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
	if folder := t.w.folder.PackageID(); layout.Number(id) != layout.Number(folder) && !t.w.filedIn(id) {
		t.add(ruleContextPackage.At(t.path, f.Line+1, "the file names %s, the folder is in %s", id, folder).Of(f.Value))
		return
	}
	if def, ok := t.w.project.definedPackage(id); ok {
		t.compare("Package", f.Line, trimmed, def.Name, false)
	}
}
