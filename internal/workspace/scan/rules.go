package scan

import (
	"strings"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// What a scan finds wrong with the layout of a project.
var (
	ruleUnreadable = finding.Rule{Code: "FOLDER_UNREADABLE", Severity: finding.Error, Section: "1",
		Means: "A folder or file cannot be read, so what it holds is not known.",
		Fix:   "give the user that runs belay the permission to read it, or check the disk"}
	ruleTooMany = finding.Rule{Code: "TOO_MANY_FOLDERS", Severity: finding.Error, Section: "1",
		Means: "The project has more folders than are looked at; the rest is not known.",
		Fix:   "move what does not belong to the project out of it"}
	ruleTooDeep = finding.Rule{Code: "FOLDERS_TOO_DEEP", Severity: finding.Warning, Section: "1",
		Means: "Folders are deeper than are looked at; what is below is not known.",
		Fix:   "move what does not belong to the project out of it"}
	ruleLink = finding.Rule{Code: "FOLDER_IS_LINK", Severity: finding.Warning, Section: "1",
		Means: "A package, its 1_Working, or a deliverable is a symbolic link. Links are never followed: they may lead out of the project.",
		Fix:   "put the folder itself in the link's place"}
	ruleUnfinished = finding.Rule{Code: "UNFINISHED_FILE", Severity: finding.Warning, Section: "1",
		Means: "A file or folder begins with .tmp-, as all do that belay has not finished: it is being written now, or the process that wrote it was killed. What has its own name is whole in any case.",
		Fix:   "look again; if it is still there and no belay runs, remove it, or make the change once more, which removes it"}
	rulePackageName = finding.Rule{Code: "PACKAGE_NAME_INVALID", Severity: finding.Error, Section: "12.2",
		Means: "A folder is named as a package, but its id is not PKG- and two or three digits.",
		Fix:   "rename it to PKG-XX_Label"}
	ruleDeliverableName = finding.Rule{Code: "DELIVERABLE_NAME_INVALID", Severity: finding.Error, Section: "12.3",
		Means: "A folder in 1_Working is named as a deliverable, but its id is not DEL-XX-YY.",
		Fix:   "rename it to DEL-XX-YY_Label"}
	ruleLabel = finding.Rule{Code: "LABEL_NOT_SAFE", Severity: finding.Warning, Section: "10.1",
		Means: "The label of a package or deliverable has characters that some file systems refuse, or blanks where none should be.",
		Fix:   "rename the folder"}
	ruleSamePackage = finding.Rule{Code: "DUPLICATE_PACKAGE_ID", Severity: finding.Error, Section: "1.1",
		Means: "Two packages have the same id; PKG-01 and PKG-001 are one.",
		Fix:   "give one of them an id of its own"}
	ruleSameDeliverable = finding.Rule{Code: "DUPLICATE_DELIVERABLE_ID", Severity: finding.Error, Section: "2",
		Means: "Two deliverables that are worked on have the same id; DEL-01-02 and DEL-001-02 are one.",
		Fix:   "give one of them an id of its own, or move it to 1_Working/_Archive"}
	ruleAstray = finding.Rule{Code: "DELIVERABLE_ASTRAY", Severity: finding.Warning, Section: "2",
		Means: "A deliverable is where none belongs: not in a package's 1_Working, 2_Checking, 3_Issued or an _Archive.",
		Fix:   "move the folder into the 1_Working of its package"}
	ruleNested = finding.Rule{Code: "PROJECT_IN_PROJECT", Severity: finding.Warning, Section: "1",
		Means: "A folder of the project has packages of its own, so it is a project too.",
		Fix:   "open that folder as a project, or move it out of this one"}
	ruleMore = finding.Rule{Code: "LAYOUT_FINDINGS_NOT_LISTED", Severity: finding.Error, Section: "1",
		Means: "There are more findings about folders and their names than are listed.",
		Fix:   "correct the listed ones first"}
)

// CodeDeliverableName is the code of a folder whose name is not quite a deliverable's.
var CodeDeliverableName = ruleDeliverableName.Code

// CodePackageName is the code of a folder whose name is not quite a package's.
var CodePackageName = rulePackageName.Code

// Rules lists what this package reports.
func Rules() []finding.Rule {
	return []finding.Rule{
		ruleUnreadable, ruleTooMany, ruleTooDeep, ruleLink, ruleUnfinished, rulePackageName, ruleDeliverableName, ruleLabel,
		ruleSamePackage, ruleSameDeliverable, ruleAstray, ruleNested, ruleMore,
	}
}

// checkName reports a folder whose name is not quite that of a package or
// deliverable.
func (k *worker) checkName(t task, base string, n layout.Name) {
	named := n.Kind != layout.Other
	switch {
	case !named && t.at.pkg == "" && t.at.area == "" && hasPrefixFold(base, "PKG-"):
		k.report(rulePackageName.At(t.path, 0, "%s is not PKG- and two or three digits", finding.Shown(id(base))).Of(base))
	case !named && t.at.area == Working && hasPrefixFold(base, "DEL-"):
		k.report(ruleDeliverableName.At(t.path, 0, "%s is not of the form DEL-XX-YY", finding.Shown(id(base))).Of(base))
	case named && (t.at.area == Working || t.at.isPackage(n)) && !isSafe(n.Label):
		if safe := layout.Sanitize(n.Label); safe != n.Label {
			f := ruleLabel.At(t.path, 0, "the label has characters or blanks that not every file system keeps").Of(n.Label)
			if safe != "" {
				f = f.WithFix("rename the folder to %s_%s", n.ID, safe)
			}
			k.report(f)
		}
	}
}

func id(base string) string {
	before, _, _ := strings.Cut(base, "_")
	return before
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// isSafe reports labels that are safe at the first look: most.
func isSafe(label string) bool {
	for i := range len(label) {
		if !isWord(label[i]) && label[i] != '-' {
			return false
		}
	}
	return true
}
