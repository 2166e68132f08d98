package register

import (
	"slices"

	"belay/internal/workspace/finding"
)

// The rules of the original's linter (compatible contract, 10): they decide a
// register's status.
var (
	ruleHeader = finding.Rule{
		Code: "MISSING_HEADER", Severity: finding.Error, Section: "6.2",
		Means: "The file is empty.", Fix: "give the file the header of the v3.1 schema",
	}
	ruleLongRow = finding.Rule{
		Code: "MALFORMED_ROW", Severity: finding.Error, Section: "6.2",
		Means: "The row has more cells than the header, so some may stand in the wrong columns. It is judged all the same, as the original's linter does.",
		Fix:   "put quotes around the cell that has a comma in it",
	}
	ruleNotUTF8 = finding.Rule{
		Code: "UNREADABLE_FILE", Severity: finding.Error, Section: "6.2",
		Means: "The file is not UTF-8.", Fix: "save the file as UTF-8",
	}
	ruleMalformed = finding.Rule{
		Code: "MALFORMED_CSV", Severity: finding.Error, Section: "6.2",
		Means: "A cell is longer than readers take.", Fix: "shorten the cell; a closing quote may be missing",
	}
	ruleRead = finding.Rule{
		Code: "READ_ERROR", Severity: finding.Error, Section: "6.2",
		Means: "The file is larger than belay reads, or could not be read to its end.", Fix: "look for what does not belong into the file",
	}
	ruleNotFound = finding.Rule{
		Code: "FILE_NOT_FOUND", Severity: finding.Error, Section: "6",
		Means: "There is no file of that name.", Fix: "check the path",
	}
	ruleNotReadable = finding.Rule{
		Code: "FILE_UNREADABLE", Severity: finding.Error, Section: "6",
		Means: "What has that name is not a regular file, or may not be opened.", Fix: "check what it is, and its permissions",
	}
	ruleColumns = finding.Rule{
		Code: "MISSING_CORE_COLUMNS", Severity: finding.Error, Section: "6.2",
		Means: "The header lacks core columns.", Fix: "add the columns that are named",
	}
	ruleRequired = finding.Rule{
		Code: "REQUIRED_VALUE_MISSING", Severity: finding.Error, Section: "6.2",
		Means: "A cell is empty that no row may leave empty.", Fix: "fill in the cell",
	}
	ruleVersion = finding.Rule{
		Code: "INVALID_SCHEMA_VERSION", Severity: finding.Error, Section: "6.1",
		Means: "The row is of another schema.", Fix: "bring the row to the v3.1 schema and write v3.1",
	}
	ruleIDFormat = finding.Rule{
		Code: "INVALID_DEPENDENCY_ID_FORMAT", Severity: finding.Error, Section: "6.8", Remedy: renumber,
		Means: "The DependencyID is not DEP-, the numbers of the deliverable and a number of three digits.",
		Fix:   "write it like DEP-01-02-003",
	}
	ruleDuplicateID = finding.Rule{
		Code: "DUPLICATE_DEPENDENCY_ID", Severity: finding.Error, Section: "6.8",
		Means: "Another row of the register has the same DependencyID.", Fix: "give one of them a number of its own",
	}
	ruleFromFormat = finding.Rule{
		Code: "INVALID_FROM_DELIVERABLE_ID", Severity: finding.Error, Section: "6.8", Remedy: renumber,
		Means: "FromDeliverableID is not the id of a deliverable.", Fix: "write the id alone, like DEL-01-02",
	}
	ruleFromChanges = finding.Rule{
		Code: "INCONSISTENT_FROM_DELIVERABLE", Severity: finding.Error, Section: "6.8",
		Means: "FromDeliverableID differs from that of the first row.", Fix: "write the id of the deliverable that has the register",
	}
	ruleEnum = finding.Rule{
		Code: "INVALID_ENUM_VALUE", Severity: finding.Error, Section: "6.3",
		Means: "The word is none of those that the column takes.", Fix: "choose one of the column's words",
	}
	ruleTargetRequired = finding.Rule{
		Code: "TARGET_DELIVERABLE_REQUIRED", Severity: finding.Error, Section: "6.8",
		Means: "The target is a deliverable and TargetDeliverableID is empty.", Fix: "write the target's id, or another TargetType",
	}
	ruleTargetFormat = finding.Rule{
		Code: "INVALID_TARGET_DELIVERABLE_ID", Severity: finding.Error, Section: "6.8", Remedy: renumber,
		Means: "TargetDeliverableID is not the id of a deliverable.", Fix: "write the id alone, like DEL-01-02",
	}
	ruleTargetEmpty = finding.Rule{
		Code: "TARGET_DELIVERABLE_MUST_BE_EMPTY", Severity: finding.Error, Section: "6.8",
		Means: "TargetDeliverableID is filled in though the target is no deliverable.",
		Fix:   "name the target in TargetRefID and TargetName, or write TargetType DELIVERABLE",
	}
	ruleDate = finding.Rule{
		Code: "INVALID_DATE", Severity: finding.Error, Section: "6.2",
		Means: "The date is not a day of the calendar as YYYY-MM-DD.", Fix: "write the day like 2026-01-31",
	}
	ruleDateOrder = finding.Rule{
		Code: "INVALID_DATE_ORDER", Severity: finding.Error, Section: "6.6",
		Means: "LastSeen is before FirstSeen.", Fix: "correct one of the two days",
	}
	ruleAnchorType = finding.Rule{
		Code: "INVALID_ANCHOR_TYPE", Severity: finding.Error, Section: "6.4",
		Means: "An ANCHOR row has the AnchorType of an EXECUTION row.", Fix: "write IMPLEMENTS_NODE or TRACES_TO_REQUIREMENT",
	}
	ruleAnchorDependency = finding.Rule{
		Code: "INVALID_ANCHOR_DEPENDENCY_TYPE", Severity: finding.Error, Section: "6.4",
		Means: "The DependencyType of an ANCHOR row is not OTHER.", Fix: "write OTHER",
	}
	ruleExecutionAnchor = finding.Rule{
		Code: "INVALID_EXECUTION_ANCHOR_TYPE", Severity: finding.Error, Section: "6.4",
		Means: "The AnchorType of an EXECUTION row is not NOT_APPLICABLE.", Fix: "write NOT_APPLICABLE",
	}
	ruleProvenance = finding.Rule{
		Code: "MISSING_ACTIVE_PROVENANCE", Severity: finding.Error, Section: "6.5",
		Means: "An ACTIVE row does not say where its evidence stands.", Fix: "name the document and the section, or write location TBD",
	}

	ruleUnknownColumn = finding.Rule{
		Code: "UNKNOWN_COLUMN", Severity: finding.Warning, Section: "6.2",
		Means: "The specification does not know the column. It is kept.", Fix: "check the name; move what it holds to Notes if nobody needs it",
	}
	ruleLegacy = finding.Rule{
		Code: "LEGACY_ENUM_VALUE", Severity: finding.Warning, Section: "6.7",
		Means: "The word is of an older register. It is read as what it means today.", Fix: "write today's word",
	}
	ruleCase = finding.Rule{
		Code: "NON_CANONICAL_CASE", Severity: finding.Warning, Section: "6.3",
		Means: "The word is not written in capitals.", Fix: "write it in capitals",
	}
	ruleNotPreferred = finding.Rule{
		Code: "NON_PREFERRED_EXECUTION_DEPENDENCY_TYPE", Severity: finding.Warning, Section: "6.3",
		Means: "The DependencyType of an EXECUTION row is not one of the preferred five.",
		Fix:   "write PREREQUISITE, INTERFACE, HANDOVER, CONSTRAINT or ENABLES where one of them fits",
	}
	ruleNoQuote = finding.Rule{
		Code: "EMPTY_EVIDENCE_QUOTE", Severity: finding.Warning, Section: "6.5",
		Means: "An ACTIVE row quotes no evidence.", Fix: "quote up to 30 words of the source",
	}
	ruleCardinality = finding.Rule{
		Code: "IMPLEMENTS_NODE_CARDINALITY", Severity: finding.Warning, Section: "6.4",
		Means: "Not exactly one ACTIVE row says which node the deliverable implements.", Fix: "keep one ACTIVE IMPLEMENTS_NODE row",
	}
)

// The rules beyond it.
var (
	ruleUnclosed = finding.Rule{
		Code: "UNTERMINATED_QUOTE", Severity: finding.Error, Section: "6.2", Extra: true,
		Means: "The file ends inside of quotes: everything from the opening quote on is one cell. Nothing is written to such a file.",
		Fix:   "close the quote",
	}
	ruleConflict = finding.Rule{
		Code: "REGISTER_CONFLICT", Severity: finding.Error, Section: "6.2", Extra: true,
		Means: "The file has an unresolved conflict of a merge, whose marks count as rows. Nothing is written to such a file.", Fix: "keep the rows that are right, and remove the marks",
	}
	ruleStray = finding.Rule{
		Code: "QUOTE_INSIDE_CELL", Severity: finding.Warning, Section: "6.2", Extra: true,
		Means: "A quote stands inside of a cell that does not begin with one: programs differ about what the cell holds.",
		Fix:   "put the whole cell in quotes and double the quotes in it",
	}
	ruleLoneCR = finding.Rule{
		Code: "LONE_CARRIAGE_RETURN", Severity: finding.Warning, Section: "6.2", Extra: true,
		Means: "A record ends in a carriage return without a line feed: programs differ about where it ends.", Fix: "end lines in LF or CR LF",
	}
	ruleNUL = finding.Rule{
		Code: "NUL_CHARACTER", Severity: finding.Error, Section: "6.2", Extra: true,
		Means: "The file has NUL characters, at which many programs stop reading.", Fix: "remove them",
	}
	ruleShortRow = finding.Rule{
		Code: "SHORT_ROW", Severity: finding.Warning, Section: "6.2", Extra: true,
		Means: "The row has fewer cells than the header; those that are missing are read as empty.", Fix: "add the missing commas",
	}
	ruleTwoColumns = finding.Rule{
		Code: "DUPLICATE_COLUMN", Severity: finding.Error, Section: "6.2", Extra: true,
		Means: "Two columns have the same name; only the last one is read.", Fix: "rename or remove one of them",
	}
	ruleHost = finding.Rule{
		Code: "FROM_DELIVERABLE_NOT_HOST", Severity: finding.Error, Section: "6.8", Extra: true,
		Means: "FromDeliverableID is not the deliverable in whose folder the register is.", Fix: "write the folder's id",
	}
	ruleHostPackage = finding.Rule{
		Code: "FROM_PACKAGE_NOT_HOST", Severity: finding.Error, Section: "6.2", Extra: true,
		Means: "FromPackageID is not the package in whose folder the register is.", Fix: "write the id of the package's folder",
	}
	ruleIDNotHost = finding.Rule{
		Code: "DEPENDENCY_ID_NOT_HOST", Severity: finding.Warning, Section: "6.8", Extra: true,
		Means: "The numbers in the DependencyID are not those of the deliverable.", Fix: "keep it if others refer to it; give new rows the deliverable's numbers",
	}
	ruleLongQuote = finding.Rule{
		Code: "EVIDENCE_QUOTE_TOO_LONG", Severity: finding.Warning, Section: "6.5", Extra: true,
		Means: "The evidence quotes more than 30 words.", Fix: "quote the words that matter",
	}
	ruleFormula = finding.Rule{
		Code: "FORMULA_CELL", Severity: finding.Warning, Section: "6.2", Extra: true,
		Means: "A spreadsheet would take the cell for a formula and run it.", Fix: "begin the cell with a word",
	}
	ruleTargetPackage = finding.Rule{
		Code: "TARGET_PACKAGE_MISMATCH", Severity: finding.Warning, Section: "6.8", Extra: true,
		Means: "TargetPackageID is not the package in whose folder the target is.", Fix: "correct one of the two",
	}
	ruleSelf = finding.Rule{
		Code: "SELF_DEPENDENCY", Severity: finding.Error, Section: "6.4", Extra: true,
		Means: "A deliverable depends on itself.", Fix: "name the deliverable that is meant, or retire the row",
	}
	ruleNoTarget = finding.Rule{
		Code: "TARGET_NOT_NAMED", Severity: finding.Warning, Section: "6.8", Extra: true,
		Means: "The row names no target: neither by id nor by name nor by place.",
		Fix:   "fill in TargetRefID or TargetName",
	}
	ruleNoSatisfaction = finding.Rule{
		Code: "SATISFACTION_NOT_ASSESSED", Severity: finding.Warning, Section: "6.6", Extra: true,
		Means: "An ACTIVE EXECUTION row has no SatisfactionStatus.", Fix: "write TBD until it is assessed",
	}
	ruleRecommended = finding.Rule{
		Code: "RECOMMENDED_VALUE_MISSING", Severity: finding.Warning, Section: "6.2", Extra: true,
		Means: "An ACTIVE row leaves TargetName, Statement, Explicitness or Confidence empty, which it should fill in.", Fix: "fill in the cell",
	}
	ruleFromName = finding.Rule{
		Code: "FROM_DELIVERABLE_NAME_DIFFERS", Severity: finding.Warning, Section: "6.2", Extra: true,
		Means: "FromDeliverableName is not the name of the deliverable that has the register.", Fix: "write the name as _CONTEXT.md has it",
	}
	ruleMisplaced = finding.Rule{
		Code: "REGISTER_IN_MISNAMED_FOLDER", Severity: finding.Error, Section: "2", Extra: true,
		Means: "The register is in a folder whose name is not that of a deliverable, so nothing else of belay reads it.",
		Fix:   "rename the folder to DEL-XX-YY_Label, in a package PKG-XX_Label",
	}
	ruleTargetUnknown = finding.Rule{
		Code: "TARGET_NOT_FOUND", Severity: finding.Error, Section: "6.8", Extra: true,
		Means: "The project has no deliverable of the target's id.", Fix: "correct the id, or write another TargetType if the target is outside of the project",
	}
	ruleTooEarly = finding.Rule{
		Code: "SATISFIED_BEFORE_MATURITY", Severity: finding.Warning, Section: "6.6", Extra: true,
		Means: "The row says that it is satisfied, but the target has not reached the RequiredMaturity.",
		Fix:   "check whether the target went back, or the row was closed too early",
	}
	ruleFuture = finding.Rule{
		Code: "DATE_IN_FUTURE", Severity: finding.Warning, Section: "6.6", Extra: true,
		Means: "The day has not come yet.", Fix: "correct the day",
	}
	ruleMore = finding.Rule{
		Code: "MORE_FINDINGS", Severity: finding.Error, Section: "6", Extra: true,
		Means: "There are more findings than are listed.", Fix: "correct the listed ones first",
	}
)

// Rules are all rules of this package: those of the original, those beyond it, and
// those of _DEPENDENCIES.md.
func Rules() []finding.Rule {
	return slices.Concat([]finding.Rule{
		ruleHeader, ruleLongRow, ruleNotUTF8, ruleMalformed, ruleRead, ruleNotFound, ruleNotReadable, ruleColumns, ruleRequired, ruleVersion,
		ruleIDFormat, ruleDuplicateID, ruleFromFormat, ruleFromChanges, ruleEnum, ruleTargetRequired, ruleTargetFormat, ruleTargetEmpty,
		ruleDate, ruleDateOrder, ruleAnchorType, ruleAnchorDependency, ruleExecutionAnchor, ruleProvenance, ruleUnknownColumn, ruleLegacy,
		ruleCase, ruleNotPreferred, ruleNoQuote, ruleCardinality,

		ruleUnclosed, ruleConflict, ruleStray, ruleLoneCR, ruleNUL, ruleShortRow, ruleTwoColumns, ruleHost, ruleHostPackage, ruleIDNotHost, ruleLongQuote,
		ruleFormula, ruleTargetPackage, ruleSelf, ruleNoTarget, ruleNoSatisfaction, ruleRecommended, ruleFromName, ruleMisplaced, ruleTargetUnknown, ruleTooEarly, ruleFuture, ruleMore,
	}, summaryRules)
}
