package register

import "belay/internal/workspace/finding"

// The rules of _DEPENDENCIES.md.
var (
	ruleSummaryText = finding.Rule{
		Code: "DEPENDENCIES_NOT_TEXT", Severity: finding.Error, Section: "5.1", Extra: true,
		Means: "_DEPENDENCIES.md is not UTF-8, or has NUL characters.", Fix: "save the file as UTF-8",
	}
	ruleSummaryConflict = finding.Rule{
		Code: "DEPENDENCIES_CONFLICT", Severity: finding.Error, Section: "5.1", Extra: true,
		Means: "_DEPENDENCIES.md has a conflict of a merge that nobody has resolved. Nothing is written to such a file.",
		Fix:   "keep what is right of both sides, and remove the marks",
	}
	ruleTitle = finding.Rule{
		Code: "DEPENDENCIES_TITLE", Severity: finding.Warning, Section: "5.2", Extra: true,
		Means: "The first heading is not \"Dependencies:\" with the id and the name of the deliverable.",
	}
	ruleModeMissing = finding.Rule{
		Code: "TRACKING_MODE_MISSING", Severity: finding.Error, Section: "5.3", Extra: true,
		Means: "Nothing says how dependencies are tracked.", Fix: "add the section Dependency Tracking Mode with a line \"- **Mode:** TRACKED\"",
	}
	ruleModeUnknown = finding.Rule{
		Code: "TRACKING_MODE_UNKNOWN", Severity: finding.Error, Section: "5.3", Extra: true,
		Means: "The tracking mode is none of the three.", Fix: "write NOT_TRACKED, DECLARED or TRACKED",
	}
	ruleModePlace = finding.Rule{
		Code: "TRACKING_MODE_PLACE", Severity: finding.Warning, Section: "5.2", Extra: true,
		Means: "The tracking mode does not stand in the section Dependency Tracking Mode.", Fix: "move it into a section of that name",
	}
	ruleModeDisagrees = finding.Rule{
		Code: "TRACKING_MODE_DISAGREES", Severity: finding.Warning, Section: "5.3", Extra: true,
		Means: "The mode says that nothing is extracted, and the register has extracted rows.", Fix: "write TRACKED, or find out why there is a register",
	}
	ruleTrackedWithout = finding.Rule{
		Code: "TRACKED_WITHOUT_REGISTER", Severity: finding.Error, Section: "5.3", Extra: true,
		Means: "The mode is TRACKED and the deliverable has no Dependencies.csv.", Fix: "extract the dependencies, or write DECLARED or NOT_TRACKED",
	}
	ruleSectionName = finding.Rule{
		Code: "DEPENDENCIES_SECTION_NAME", Severity: finding.Warning, Section: "5.2", Extra: true,
		Means: "A section has another name than the specification gives it.",
	}
	ruleSectionMissing = finding.Rule{
		Code: "DEPENDENCIES_SECTION_MISSING", Severity: finding.Warning, Section: "5.2", Extra: true,
		Means: "A section is missing.",
	}
	ruleRegisterLine = finding.Rule{
		Code: "DEPENDENCIES_REGISTER_LINE", Severity: finding.Warning, Section: "5.2", Extra: true,
		Means: "No line names the register and its schema.", Fix: "add \"- **Register:** Dependencies.csv (schema v3.1)\" below the tracking mode",
	}
	ruleLabels = finding.Rule{
		Code: "DEPENDENCIES_COUNTS_MISSING", Severity: finding.Warning, Section: "5.2", Extra: true, Remedy: summarize,
		Means: "The section on the register lacks some of the six labelled lines: the day of the run, the schema and four numbers of rows.",
		Fix:   "run belay deps summary with the deliverable's id, look at the diff, and add --write; or write the lines",
	}
	ruleNotWritten = finding.Rule{
		Code: "DEPENDENCIES_NOT_WRITTEN", Severity: finding.Warning, Section: "5.2", Extra: true, Remedy: summarize,
		Means: "The section on the register says \"Not extracted yet.\", and the deliverable has a register.",
		Fix:   "run belay deps summary --write",
	}
	ruleCount = finding.Rule{
		Code: "DEPENDENCIES_COUNT", Severity: finding.Warning, Section: "5.2", Extra: true, Remedy: summarize,
		Means: "A number of rows is not that of the register.",
		Fix:   "run belay deps summary, look at the diff, and add --write; correct numbers in other lines by hand",
	}
	ruleListedUnknown = finding.Rule{
		Code: "DEPENDENCIES_ROW_UNKNOWN", Severity: finding.Warning, Section: "5.2", Extra: true,
		Means: "A row is listed that the register does not have.", Fix: "correct the id, or add the row to the register",
	}
	ruleNotListed = finding.Rule{
		Code: "DEPENDENCIES_ROW_MISSING", Severity: finding.Warning, Section: "5.2", Extra: true, Remedy: summarize,
		Means: "ACTIVE rows of the register are not listed.", Fix: "run belay deps summary, look at the diff, and add --write",
	}
)

// The commands for what is wrong with summaries and registers.
var (
	summarize = finding.Remedy{Command: "deps summary"}
	renumber  = finding.Remedy{Command: "deps renumber"}
)

// summaryRules are the rules of _DEPENDENCIES.md.
var summaryRules = []finding.Rule{
	ruleSummaryText, ruleSummaryConflict, ruleTitle, ruleModeMissing, ruleModeUnknown, ruleModePlace, ruleModeDisagrees, ruleTrackedWithout, ruleSectionName,
	ruleSectionMissing, ruleRegisterLine, ruleLabels, ruleNotWritten, ruleCount, ruleListedUnknown, ruleNotListed,
}
