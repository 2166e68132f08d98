package validate

import (
	"slices"

	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/snapshot"
)

// The root and packages.
var (
	ruleNoPackages = finding.Rule{Code: "ROOT_NO_PACKAGES", Severity: finding.Error, Section: "12.1",
		Means: "An execution root has at least one package.",
		Fix:   "make one from the decomposition with belay project init, or look at another folder"}
	ruleElsewhere = finding.Rule{Code: "ROOT_IS_ABOVE", Severity: finding.Error, Section: "12.1",
		Means: "The packages are in a folder of this one, which is the execution root.",
		Fix:   "look at that folder"}
	ruleNoDecomposition = finding.Rule{Code: "ROOT_NO_DECOMPOSITION", Severity: finding.Error, Section: "12.1",
		Means: "An execution root has a decomposition document in _Decomposition.",
		Fix:   "put the document into _Decomposition"}
	ruleManyDecompositions = finding.Rule{Code: "ROOT_DECOMPOSITIONS_NOT_READ", Severity: finding.Error, Section: "12.1",
		Means: "_Decomposition has more documents than are read, or larger ones. They are read in the order of their names; the definitions of the others are not known.",
		Fix:   "move documents that define nothing, and old ones, into a folder of _Decomposition"}
	ruleNoInit = finding.Rule{Code: "ROOT_NO_INIT", Severity: finding.Error, Section: "12.1",
		Means: "An execution root has an INIT.md with the parameters of sessions.",
		Fix:   "write one: # INIT, **Project Name:**, **Decomposition Reference:**, ## Session Parameters"}
	ruleNoWorking = finding.Rule{Code: "PACKAGE_NO_WORKING", Severity: finding.Error, Section: "12.2",
		Means: "A package has a folder 1_Working with its deliverables.",
		Fix:   "make the folder"}
	rulePackageFolders = finding.Rule{Code: "PACKAGE_FOLDERS_MISSING", Severity: finding.Warning, Section: "12.2",
		Means: "A package should have folders for references, review and issue, and their archives.",
		Fix:   "make the folders, or run belay project init, which makes what is missing"}
	ruleUndefinedPackage = finding.Rule{Code: "PACKAGE_NOT_DEFINED", Severity: finding.Warning, Section: "1.1",
		Means: "No decomposition defines a package of this id.",
		Fix:   "add it to the decomposition, or move the folder away"}
	ruleFolderName = finding.Rule{Code: "FOLDER_NAME_DIFFERS", Severity: finding.Warning, Section: "10.2",
		Means: "The folder of a package or deliverable is named by its id and its name in the decomposition, or as the decomposition spells it anywhere.",
		Fix:   "rename the folder once nothing refers to its old name, or write that name in the decomposition"}
	rulePackage = finding.Rule{Code: "DELIVERABLE_PACKAGE_MISMATCH", Severity: finding.Warning, Section: "1.1",
		Means: "A deliverable is in another package than the decomposition gives it.",
		Fix:   "move the folder, or name its package in the decomposition, in a PackageID column or a **Package:** line"}
	ruleMore = finding.Rule{Code: "FINDINGS_NOT_TOLD", Severity: finding.Error, Section: "12",
		Means: "The project, or one file of it, has more findings than are listed.",
		Fix:   "correct the listed ones first"}
	ruleNoFolder = finding.Rule{Code: "DELIVERABLE_NO_FOLDER", Severity: finding.Warning, Section: "2",
		Means: "A deliverable that the decomposition defines has no folder in 1_Working.",
		Fix:   "make it with belay project init, or take it out of the decomposition"}
)

// Deliverables, and files of any kind.
var (
	ruleUndefined = finding.Rule{Code: "DELIVERABLE_NOT_DEFINED", Severity: finding.Warning, Section: "2",
		Means: "No decomposition defines a deliverable of this id.",
		Fix:   "add it to the decomposition, or move the folder away"}
	ruleMissing = finding.Rule{Code: "DELIVERABLE_FILE_MISSING", Severity: finding.Error, Section: "12.3",
		Means: "A deliverable has _STATUS.md, _CONTEXT.md, _DEPENDENCIES.md and _REFERENCES.md.",
		Fix:   "make it with belay project init, which leaves what is there"}
	ruleNoSemantic = finding.Rule{Code: "SEMANTIC_ABSENT", Severity: finding.Warning, Section: "2.1",
		Means: "The minimum files of a deliverable have a _SEMANTIC.md, a placeholder until it is generated.",
		Fix:   "make it with belay project init, which leaves what is there"}
	ruleTitleName = finding.Rule{Code: "TITLE_NAME_DIFFERS", Severity: finding.Warning, Section: "3.1",
		Means: "The title of _STATUS.md, _DEPENDENCIES.md or _REFERENCES.md does not give the name that the decomposition does.",
		Fix:   "write the name of the decomposition after the id"}
	ruleToolRoots = finding.Rule{Code: "TOOL_ROOT_MISSING", Severity: finding.Warning, Section: "1.2",
		Means: "A project has a folder for each kind of derived output.",
		Fix:   "make the folders, or run belay project init, which makes what is missing"}
	ruleNoMemory = finding.Rule{Code: "MEMORY_MISSING", Severity: finding.Warning, Section: "2.1",
		Means: "A deliverable should have a MEMORY.md, for what its work has brought to light.",
		Fix:   "make it with belay project init, which leaves what is there"}
	ruleAgentMemory = finding.Rule{Code: "AGENT_MEMORY_PRESENT", Severity: finding.Error, Section: "8.2",
		Means: "_MEMORY.md must not exist: MEMORY.md is the one working memory of a deliverable.",
		Fix:   "move what it holds into MEMORY.md, then remove it"}
	ruleNoFile = finding.Rule{Code: "FILE_IS_NO_FILE", Severity: finding.Error, Section: "2.1",
		Means: "What has the name of a deliverable's file is a folder, a link or a device. Links are never followed: they may lead out of the project.",
		Fix:   "put the file itself in its place"}
	ruleFileUnreadable = finding.Rule{Code: "PROJECT_FILE_UNREADABLE", Severity: finding.Error, Section: "2.1",
		Means: "A file cannot be read, so nothing is known of it.",
		Fix:   "give the user that runs belay the permission to read it, or check the disk"}
	ruleTooLarge = finding.Rule{Code: "PROJECT_FILE_TOO_LARGE", Severity: finding.Error, Section: "2.1",
		Means: "A file is larger than what is read to check it.",
		Fix:   "remove what does not belong in it"}
	ruleNotText = finding.Rule{Code: "PROJECT_FILE_NOT_TEXT", Severity: finding.Error, Section: "2.1",
		Means: "A document is not UTF-8 text, or has NUL bytes.",
		Fix:   "save the file as UTF-8"}
)

// AllRules lists what a report can hold, from every room.
func AllRules() []finding.Rule {
	return slices.Concat(scan.Rules(), Rules(), decomposition.Rules(), lifecycle.Rules(), register.Rules(), snapshot.Rules())
}

// Rules lists what this package itself reports.
func Rules() []finding.Rule {
	return slices.Concat([]finding.Rule{
		ruleNoPackages, ruleElsewhere, ruleNoDecomposition, ruleManyDecompositions, ruleNoInit, ruleNoWorking, rulePackageFolders, ruleUndefinedPackage, ruleFolderName, ruleNoFolder, rulePackage, ruleMore,
		ruleUndefined, ruleMissing, ruleNoSemantic, ruleTitleName, ruleToolRoots, ruleNoMemory, ruleAgentMemory, ruleNoFile, ruleFileUnreadable, ruleTooLarge, ruleNotText,
	}, contextRules, referencesRules, memoryRules, rootFileRules, pointerRules)
}
