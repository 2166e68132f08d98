package validate

import (
	"path"
	"slices"
	"strings"
	"time"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

var (
	rulePointerForm = finding.Rule{Code: "LATEST_FORM", Severity: finding.Warning, Section: "11.2",
		Means: "_LATEST.md has a line \"Latest: \" with the snapshot's folder and a line \"Updated: \" with a date.",
		Fix:   "write the two lines so"}
	rulePointerEmpty = finding.Rule{Code: "LATEST_NO_TARGET", Severity: finding.Error, Section: "11.2",
		Means: "_LATEST.md names no snapshot.",
		Fix:   "add \"Latest: \" and the name of the newest snapshot's folder"}
	rulePointerTarget = finding.Rule{Code: "LATEST_TARGET_MISSING", Severity: finding.Error, Section: "11.2",
		Means: "The snapshot that _LATEST.md names is not in its tool root.",
		Fix:   "correct the name, or restore the snapshot"}
	rulePointerElsewhere = finding.Rule{Code: "LATEST_TARGET_ELSEWHERE", Severity: finding.Warning, Section: "11.2",
		Means: "The snapshot that _LATEST.md names is in another folder than the pointer does.",
		Fix:   "put the pointer beside its snapshots"}
	rulePointerOld = finding.Rule{Code: "LATEST_OUTDATED", Severity: finding.Warning, Section: "11.2",
		Means: "_LATEST.md does not name the newest of the snapshots beside it.",
		Fix:   "name the newest one"}
	rulePointerDate = finding.Rule{Code: "LATEST_NO_DATE", Severity: finding.Warning, Section: "11.2",
		Means: "_LATEST.md says when it was updated.",
		Fix:   "add \"Updated: \" and the date, YYYY-MM-DD"}
	ruleSnapshotName = finding.Rule{Code: "SNAPSHOT_NAME", Severity: finding.Warning, Section: "11.1",
		Means: "The name of a snapshot's folder ends with a date and a time, _YYYY-MM-DD_HHmm.",
		Fix:   "publish with belay snapshot new, which names it so"}
)

var pointerRules = []finding.Rule{
	rulePointerForm, rulePointerEmpty, rulePointerTarget, rulePointerElsewhere, rulePointerOld, rulePointerDate, ruleSnapshotName,
}

// published are the folders of tool roots that have a pointer, and the snapshots.
// It notes the newest snapshot of each folder.
func (p *project) published() (pointers, snapshots []string) {
	p.newest = map[string]string{}
	for _, rel := range p.Visited {
		if rel == "." || rel[0] != '_' {
			continue
		}
		inside := false
		for above := path.Dir(rel); above != "."; above = path.Dir(above) {
			inside = inside || layout.IsSnapshot(path.Base(above))
		}
		switch {
		case inside:
		case layout.IsSnapshot(path.Base(rel)) && strings.Contains(rel, "/"):
			snapshots = append(snapshots, rel)
			if above, name := path.Dir(rel), path.Base(rel); layout.CompareSnapshots(name, p.newest[above]) > 0 {
				p.newest[above] = name
			}
		case p.places.has(rel + "/" + layout.LatestFile):
			pointers = append(pointers, rel)
		}
	}
	slices.Sort(pointers)
	slices.Sort(snapshots)
	return pointers, snapshots
}

// The names of the pointer's lines, as real ones have them.
var (
	latestLabels  = []string{"Latest", "Latest Snapshot", "SnapshotID", "Snapshot"}
	updatedLabels = []string{"Updated", "Last Updated", "Date", "AsOf"}
	plainLine     = lazyregexp.New(`^([A-Za-z][A-Za-z ]*): (.+?)\s*$`)
)

// pointer checks the _LATEST.md of a folder (workspace 11.2).
func (w *worker) pointer(folder string) {
	at := folder + "/" + layout.LatestFile
	if kind := w.project.places.is(at); kind != dir.File {
		w.add(ruleNoFile.At(at, 0, "is no regular file"))
		return
	}
	d, err := w.project.places.folder(folder)
	if err != nil {
		return // it is gone
	}
	defer d.Close()
	data, ok := w.readIn(d, layout.LatestFile, at)
	if !ok {
		return
	}
	if t, ok := w.text(data, at, ""); ok {
		t.checkPointer(folder)
	}
}

func (t *text) checkPointer(folder string) {
	latest, canonical := t.line(latestLabels)
	updated, dated := t.line(updatedLabels)
	if latest.Value == "" {
		latest = t.bareName(folder)
	}
	if latest.Value == "" {
		t.add(rulePointerEmpty.At(t.path, 0, "there is no line Latest:"))
		return
	}
	target := targetOf(latest.Value)
	if !canonical || updated.Value != "" && !dated {
		t.add(rulePointerForm.At(t.path, latest.Line+1, "the lines are not of the form Latest: and Updated:").WithFix("write the lines Latest: %s and Updated: with the date", shown(target)))
	}
	if _, err := time.Parse(time.DateOnly, dateIn(updated.Value)); err != nil {
		t.add(rulePointerDate.At(t.path, updated.Line+1, "there is no date of the update"))
	}
	t.pointsTo(folder, target, latest.Line+1)
}

// targetOf is the folder that a pointer's value names: by its name, its path, or a link.
func targetOf(value string) string {
	if _, target, ok := link(value); ok {
		value = target
	}
	return path.Base(strings.TrimSuffix(bare(value), "/"))
}

// bareName is the first line that is nothing but the name of a snapshot or of a folder
// beside the pointer.
func (t *text) bareName(folder string) document.Field {
	for i := range t.doc.Len() {
		value := strings.TrimSpace(t.doc.Line(i))
		if item, ok := listItem(value); ok {
			value = item
		}
		if value == "" || strings.HasPrefix(value, "#") {
			continue
		}
		target := targetOf(value)
		if layout.IsSnapshot(target) && !strings.Contains(target, " ") || t.w.project.places.is(folder+"/"+target) == dir.Folder && target != "." {
			return document.Field{Value: value, Line: i}
		}
	}
	return document.Field{}
}

// line is a line with one of the labels, and whether it has the specification's
// form and label.
func (t *text) line(labels []string) (f document.Field, canonical bool) {
	for i := range t.doc.Len() {
		if m := plainLine.FindStringSubmatch(t.doc.Line(i)); m != nil && isLabel(m[1], labels) {
			return document.Field{Label: m[1], Value: m[2], Line: i}, m[1] == labels[0]
		}
	}
	f, _ = t.field(labels)
	return f, false
}

// dateIn is the date that a value begins with.
func dateIn(value string) string {
	value = bare(value)
	return value[:min(len(value), len(time.DateOnly))]
}

// pointsTo checks where a pointer leads.
func (t *text) pointsTo(folder, target string, line int) {
	p := t.w.project
	if p.places.is(folder+"/"+target) == dir.Folder {
		if !layout.IsSnapshot(target) {
			t.add(ruleSnapshotName.At(t.path, line, "%s does not end with a date and a time", shown(target)).Of(target))
		} else if newest := p.newest[folder]; layout.CompareSnapshots(newest, target) > 0 {
			t.add(rulePointerOld.At(t.path, line, "%s is newer than %s", shown(newest), shown(target)).Of(target))
		}
		return
	}
	for above := path.Dir(folder); above != "."; above = path.Dir(above) {
		if p.places.is(above+"/"+target) == dir.Folder {
			t.add(rulePointerElsewhere.At(t.path, line, "%s is in %s", shown(target), shown(above)).Of(target))
			return
		}
	}
	t.add(rulePointerTarget.At(t.path, line, "there is no snapshot %s", shown(target)).Of(target))
}
