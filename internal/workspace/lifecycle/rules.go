package lifecycle

import "belay/internal/workspace/finding"

// The kinds of findings about a _STATUS.md.
var (
	ruleEncoding = finding.Rule{Code: "STATUS_ENCODING", Severity: finding.Error, Section: "3.1",
		Means: "The file is not UTF-8 text, or holds NUL bytes.", Fix: "save the file as UTF-8"}
	ruleConflict = finding.Rule{Code: "STATUS_CONFLICT", Severity: finding.Error, Section: "3.1",
		Means: "The file has a conflict of a merge that nobody has resolved. No transition is made in it.", Fix: "keep what is right of both sides, and remove the marks"}
	ruleNoState = finding.Rule{Code: "STATUS_STATE_MISSING", Severity: finding.Error, Section: "3.1",
		Means: "The file does not say in which state the deliverable is.", Fix: "write the line **Current State:** with one of the six states"}
	ruleUnknown = finding.Rule{Code: "STATUS_STATE_UNKNOWN", Severity: finding.Error, Section: "3.2",
		Means: "A state is none of the lifecycle's.", Fix: "use OPEN, INITIALIZED, SEMANTIC_READY, IN_PROGRESS, CHECKING or ISSUED; retirement is recorded by the decomposition"}
	ruleTwice = finding.Rule{Code: "STATUS_TWICE", Severity: finding.Error, Section: "3.1",
		Means: "The state or the history is there more than once.", Fix: "keep one, and move what the other says into it"}
	ruleNoUpdated = finding.Rule{Code: "STATUS_UPDATED_MISSING", Severity: finding.Error, Section: "3.1",
		Means: "The file does not say when it was updated.", Fix: "write the line **Last Updated:** with the date of the newest entry"}
	ruleNoHistory = finding.Rule{Code: "STATUS_HISTORY_MISSING", Severity: finding.Error, Section: "3.1",
		Means: "The file has no history.", Fix: "add the section ## History with an entry for each change of state"}
	ruleDate = finding.Rule{Code: "STATUS_DATE", Severity: finding.Error, Section: "3.1",
		Means: "A date is not one of the calendar, written YYYY-MM-DD.", Fix: "write the date as YYYY-MM-DD"}
	ruleDisagrees = finding.Rule{Code: "STATUS_HISTORY_DISAGREES", Severity: finding.Error, Section: "3.1",
		Means: "The newest entry of the history names another state than the file is in.", Fix: "record the change that is missing, or correct the current state"}
	ruleBackward = finding.Rule{Code: "STATUS_BACKWARD", Severity: finding.Error, Section: "3.3",
		Means: "An entry goes back to an earlier state.", Fix: "states only go forward; record the ruling that took it back beside the entry"}
	ruleSkipped = finding.Rule{Code: "STATUS_SKIPPED", Severity: finding.Error, Section: "3.3",
		Means: "An entry skips a state.", Fix: "record the transitions that are between"}
	ruleActor = finding.Rule{Code: "STATUS_ACTOR", Severity: finding.Error, Section: "3.3",
		Means: "An entry names nobody who may make that transition.", Fix: "have one who may confirm the state, and record it"}

	ruleUpdated = finding.Rule{Code: "STATUS_UPDATED_BEFORE_HISTORY", Severity: finding.Warning, Section: "3.1",
		Means: "The file was last updated before its newest entry.", Fix: "set Last Updated to the newest entry's date"}
	ruleOrder = finding.Rule{Code: "STATUS_HISTORY_ORDER", Severity: finding.Warning, Section: "3.1",
		Means: "The entries are in the order of their dates neither from the oldest nor from the newest.", Fix: "sort the entries by date"}
	ruleGap = finding.Rule{Code: "STATUS_HISTORY_GAP", Severity: finding.Warning, Section: "3.3",
		Means: "An entry begins in another state than the one before it ended in.", Fix: "record the transition that is missing"}
	ruleBegins = finding.Rule{Code: "STATUS_HISTORY_BEGINS", Severity: finding.Warning, Section: "3.3",
		Means: "The history does not begin with OPEN.", Fix: "record when the deliverable was opened, and by whom"}
	ruleEmpty = finding.Rule{Code: "STATUS_HISTORY_EMPTY", Severity: finding.Warning, Section: "3.1",
		Means: "The history has no entry.", Fix: "add an entry for the current state"}
	ruleProse = finding.Rule{Code: "STATUS_HISTORY_PROSE", Severity: finding.Warning, Section: "3.1",
		Means: "An entry names no state.", Fix: "write notes into MEMORY.md, or as State set to … with the state that it stays in"}
	ruleTable = finding.Rule{Code: "STATUS_HISTORY_TABLE", Severity: finding.Warning, Section: "3.1",
		Means: "The history is a table.", Fix: "none is needed, transitions are added to the table; the specification has a list of - DATE — State set to STATE (ACTOR)"}
	ruleMixed = finding.Rule{Code: "STATUS_HISTORY_MIXED", Severity: finding.Warning, Section: "3.1",
		Means: "The history is a list and a table.", Fix: "keep one of both"}
	ruleList = finding.Rule{Code: "STATUS_HISTORY_FORM", Severity: finding.Warning, Section: "3.1",
		Means: "An entry is written in another form than - DATE — State set to STATE (ACTOR).", Fix: "write it in that form"}
	ruleHeading = finding.Rule{Code: "STATUS_HEADING", Severity: finding.Warning, Section: "3.1",
		Means: "The history has another heading than ## History.", Fix: "name the section ## History"}
	ruleTitle = finding.Rule{Code: "STATUS_TITLE", Severity: finding.Warning, Section: "3.1",
		Means: "The title is not # Status: with the deliverable's id and name.", Fix: "write # Status: with the id and the name"}
	ruleID = finding.Rule{Code: "STATUS_ID", Severity: finding.Error, Section: "3.1",
		Means: "The title names another deliverable than the folder.", Fix: "correct the id, or move the file to where it belongs"}
	ruleLabel = finding.Rule{Code: "STATUS_LABEL", Severity: finding.Warning, Section: "3.1",
		Means: "A field has another label than the specification's.", Fix: "use the labels Current State and Last Updated"}
	ruleMore = finding.Rule{Code: "STATUS_MORE", Severity: finding.Warning, Section: "3.1",
		Means: "The history has more findings than are listed.", Fix: "correct those that are listed, and look again"}
	ruleForm = finding.Rule{Code: "STATUS_VALUE", Severity: finding.Warning, Section: "3.1",
		Means: "A field holds more than its value, or writes it differently.", Fix: "write the state in capitals, the date as YYYY-MM-DD, and nothing after them"}
)

// Rules are all kinds of findings of this package, for the reference.
func Rules() []finding.Rule {
	return []finding.Rule{
		ruleEncoding, ruleConflict, ruleNoState, ruleUnknown, ruleTwice, ruleID, ruleNoUpdated, ruleNoHistory, ruleDate, ruleDisagrees, ruleBackward,
		ruleSkipped, ruleActor, ruleUpdated, ruleOrder, ruleGap, ruleBegins, ruleEmpty, ruleProse, ruleTable, ruleMixed, ruleList,
		ruleHeading, ruleTitle, ruleLabel, ruleForm, ruleMore, ruleKit, ruleDocumentEmpty, ruleDocumentText, ruleSemantic, rulePlaceholder,
	}
}
