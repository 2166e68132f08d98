package decomposition

import "belay/internal/workspace/finding"

var (
	ruleNotText = finding.Rule{Code: "DECOMPOSITION_NOT_TEXT", Severity: finding.Error, Section: "1",
		Means: "The decomposition is not UTF-8 text, so nothing of it was read.",
		Fix:   "save the file as UTF-8"}
	ruleConflict = finding.Rule{Code: "DECOMPOSITION_CONFLICT", Severity: finding.Error, Section: "1",
		Means: "The decomposition has a conflict of a merge that nobody has resolved. It ends tables, so that definitions may be missing.",
		Fix:   "keep what is right of both sides, and remove the marks"}
	ruleNoPackages = finding.Rule{Code: "DECOMPOSITION_NO_PACKAGES", Severity: finding.Error, Section: "1.1",
		Means: "The decomposition defines no package.",
		Fix:   "give each package a heading such as \"### PKG-01 — Name\", or a row in a table with the columns PackageID and Name"}
	ruleNoDeliverables = finding.Rule{Code: "DECOMPOSITION_NO_DELIVERABLES", Severity: finding.Error, Section: "2",
		Means: "The decomposition defines no deliverable.",
		Fix:   "give each deliverable a row in a table with the columns DeliverableID and Name, or a heading such as \"#### DEL-01-01_Name\" with **Label:** lines below it"}
	ruleMalformed = finding.Rule{Code: "DECOMPOSITION_ID_MALFORMED", Severity: finding.Error, Section: "1.1",
		Means: "An id where a package or deliverable is defined is not PKG-XX or DEL-XX-YY with two or three digits for the package and two for the deliverable.",
		Fix:   "write the id in capitals and with leading zeros, such as PKG-01 or DEL-01-02"}
	ruleDuplicate = finding.Rule{Code: "DECOMPOSITION_DUPLICATE_ID", Severity: finding.Error, Section: "6.8",
		Means: "Two deliverables with different names have one id. The first counts.",
		Fix:   "give the second deliverable an id of its own"}
	ruleRestated = finding.Rule{Code: "DECOMPOSITION_RESTATED", Severity: finding.Warning, Section: "4.2",
		Means: "A package or deliverable is defined again with another value. The first counts.",
		Fix:   "make both places say the same"}
	ruleMisplaced = finding.Rule{Code: "DECOMPOSITION_MISPLACED", Severity: finding.Warning, Section: "1.1",
		Means: "A deliverable stands in the section of one package and has the number of another. No column or label names its package, so the number counts.",
		Fix:   "name its package in a PackageID column or a **Package:** line"}
	ruleNoPackage = finding.Rule{Code: "DECOMPOSITION_NO_PACKAGE", Severity: finding.Error, Section: "1.1",
		Means: "A deliverable names a package that is not defined, or nothing says to which package it belongs.",
		Fix:   "define the package, or name a defined one in a PackageID column or a **Package:** line"}
	rulePackageUnclear = finding.Rule{Code: "DECOMPOSITION_PACKAGE_UNCLEAR", Severity: finding.Warning, Section: "1.1",
		Means: "The package column or label of a deliverable does not name one package by its id or its name. Its number or its section counts.",
		Fix:   "write the package's id"}
	ruleEmptyPackage = finding.Rule{Code: "DECOMPOSITION_EMPTY_PACKAGE", Severity: finding.Warning, Section: "1.1",
		Means: "A package has no deliverable.",
		Fix:   "define its deliverables, or take the package out"}
	ruleNoName = finding.Rule{Code: "DECOMPOSITION_NO_NAME", Severity: finding.Error, Section: "10.1",
		Means: "A package or deliverable has no name that a folder could bear.",
		Fix:   "give it a name"}
	ruleRetired = finding.Rule{Code: "DECOMPOSITION_RETIRED", Severity: finding.Warning, Section: "2",
		Means: "A deliverable is listed as removed or retired; that list defines nothing.",
		Fix:   "take the deliverable out of its package's table where it is gone for good"}
	ruleCells = finding.Rule{Code: "DECOMPOSITION_ROW_CELLS", Severity: finding.Warning, Section: "4.2",
		Means: "A row has more cells than its table has columns, so its cells may have slipped.",
		Fix:   "write a pipe inside a cell as \\|"}
	ruleUnknownItem = finding.Rule{Code: "DECOMPOSITION_UNKNOWN_ITEM", Severity: finding.Warning, Section: "4.1",
		Means: "A deliverable names a scope item or an objective that the document does not define.",
		Fix:   "define it, or correct its id"}
	ruleRanges = finding.Rule{Code: "DECOMPOSITION_RANGES", Severity: finding.Error, Section: "4.1",
		Means: "The ranges of scope items and objectives that deliverables name stand for more ids than are written out. The others are missing.",
		Fix:   "correct the ends of the range, or name the items that are meant"}
	ruleCount = finding.Rule{Code: "DECOMPOSITION_COUNT", Severity: finding.Warning, Section: "4.2",
		Means: "The document's own count of packages or deliverables is not how many it defines.",
		Fix:   "correct the count, or see what is defined twice or not at all"}
	ruleMentioned = finding.Rule{Code: "DECOMPOSITION_UNDEFINED", Severity: finding.Warning, Section: "2",
		Means: "An id is mentioned, but nothing in the document defines it.",
		Fix:   "define it in a table or under a heading of its own, or take the mention out"}
	ruleMore = finding.Rule{Code: "DECOMPOSITION_MORE", Severity: finding.Error, Section: "1",
		Means: "The document has more findings than are listed.",
		Fix:   "correct those that are, and look again"}
)

// Rules are all kinds of findings about a decomposition, for the reference.
func Rules() []finding.Rule {
	return []finding.Rule{
		ruleNotText, ruleConflict, ruleNoPackages, ruleNoDeliverables, ruleMalformed, ruleDuplicate, ruleRestated, ruleMisplaced,
		ruleNoPackage, rulePackageUnclear, ruleEmptyPackage, ruleNoName, ruleRetired, ruleCells, ruleUnknownItem, ruleRanges,
		ruleCount, ruleMentioned, ruleMore,
	}
}
