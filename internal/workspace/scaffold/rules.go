package scaffold

import "belay/internal/workspace/finding"

var (
	ruleNameChanged = finding.Rule{Code: "SCAFFOLD_NAME_CHANGED", Severity: finding.Warning, Section: "10.2",
		Means: "A package or deliverable has a folder under another name than the decomposition gives it. The folder stays.",
		Fix:   "rename the folder by hand once nothing refers to its old name, or correct the decomposition"}
	ruleElsewhere = finding.Rule{Code: "SCAFFOLD_ELSEWHERE", Severity: finding.Warning, Section: "1.1",
		Means: "A deliverable's folder is in another place than its package's 1_Working. No second one was made.",
		Fix:   "move the folder to its package's 1_Working if it is to be worked on there"}
	ruleNotListed = finding.Rule{Code: "SCAFFOLD_NOT_IN_DECOMPOSITION", Severity: finding.Warning, Section: "4.2",
		Means: "The root has the folder of a package or deliverable that the decomposition does not define.",
		Fix:   "define it in the decomposition, or move the folder to an _Archive"}
	ruleNoStatus = finding.Rule{Code: "SCAFFOLD_STATUS_MISSING", Severity: finding.Warning, Section: "3.2",
		Means: "A deliverable that has been worked in has no _STATUS.md. None was made: nobody knows its state.",
		Fix:   "restore _STATUS.md from version control, or write it by hand"}
	ruleReplaced = finding.Rule{Code: "SCAFFOLD_DECOMPOSITION_REPLACED", Severity: finding.Warning, Section: "4.2",
		Means: "The project had another version of the decomposition under the same name. It was archived, and the new one took its place.",
		Fix:   "compare the two; what changed in deliverables that exist is for people to carry over"}
)

// Rules are all kinds of findings of a run, for the reference.
func Rules() []finding.Rule {
	return []finding.Rule{ruleNameChanged, ruleElsewhere, ruleNotListed, ruleNoStatus, ruleReplaced}
}
