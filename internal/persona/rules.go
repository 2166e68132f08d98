package persona

import "belay/internal/workspace/finding"

var (
	ruleUnreadable = finding.Rule{Code: "AGENT_UNREADABLE", Severity: finding.Error, Section: "9",
		Means: "An instruction file cannot be read as a regular file within the limit.",
		Fix:   "check its permissions and its size"}
	ruleNotText = finding.Rule{Code: "AGENT_NOT_TEXT", Severity: finding.Error, Section: "9",
		Means: "An instruction file is not UTF-8; the bytes that are not are replaced before a model sees it.",
		Fix:   "save the file as UTF-8"}
	ruleFileName = finding.Rule{Code: "AGENT_FILE_NAME", Severity: finding.Error, Section: "9.6",
		Means: "A file is named like an instruction file, but no persona can have its name.",
		Fix:   "use letters, digits and underlines between AGENT_ and .md"}
	ruleMarker = finding.Rule{Code: "AGENT_MARKER", Severity: finding.Error, Section: "9.1",
		Means: "An instruction file has no line [[DOC:AGENT_INSTRUCTIONS]].",
		Fix:   "put the line [[DOC:AGENT_INSTRUCTIONS]] above the first heading"}
	ruleHeading = finding.Rule{Code: "AGENT_HEADING", Severity: finding.Error, Section: "9.1",
		Means: "An instruction file's first heading is not \"# AGENT INSTRUCTIONS — NAME (what it is)\".",
		Fix:   "write the heading in that form"}
	ruleName = finding.Rule{Code: "AGENT_NAME", Severity: finding.Warning, Section: "9.6",
		Means: "An instruction file's heading names another agent than its file name does. The file name counts.",
		Fix:   "make both say the same"}
	ruleType = finding.Rule{Code: "AGENT_TYPE", Severity: finding.Error, Section: "9.1",
		Means: "An instruction file has no line \"AGENT_TYPE: \" with 0, 1 or 2.",
		Fix:   "put the line below the heading"}
	ruleTypes = finding.Rule{Code: "AGENT_TYPES_DIFFER", Severity: finding.Error, Section: "9.2",
		Means: "The line AGENT_TYPE says another type than the Agent Type table. The line counts.",
		Fix:   "make both say the same"}
	ruleTable = finding.Rule{Code: "AGENT_TABLE", Severity: finding.Error, Section: "9.2",
		Means: "An instruction file has no section \"Agent Type\" with a table.",
		Fix:   "add the section with its table of six properties"}
	ruleProperty = finding.Rule{Code: "AGENT_PROPERTY", Severity: finding.Error, Section: "9.2",
		Means: "The Agent Type table lacks a property.",
		Fix:   "add the property's row"}
	ruleValue = finding.Rule{Code: "AGENT_VALUE", Severity: finding.Error, Section: "9.5",
		Means: "A property has a value that means nothing, and counts as not declared.",
		Fix:   "use one of the values of section 9.5"}
	ruleUnlisted = finding.Rule{Code: "AGENT_VALUE_UNLISTED", Severity: finding.Warning, Section: "9.5",
		Means: "A property has a value that the specification does not list, and that belay understands.",
		Fix:   "use one of the values of section 9.5 where other programs read the file"}
	ruleRemark = finding.Rule{Code: "AGENT_VALUE_REMARK", Severity: finding.Warning, Section: "9.5",
		Means: "A property's value goes on with words that are no remark in brackets. Its first word counts.",
		Fix:   "use one value, and put remarks in brackets"}
	ruleSection = finding.Rule{Code: "AGENT_SECTION", Severity: finding.Error, Section: "9.3",
		Means: "An instruction file lacks a section, or the mark where it begins or ends.",
		Fix:   "put [[BEGIN:NAME]] and [[END:NAME]] around the section"}
	ruleSections = finding.Rule{Code: "AGENT_SECTIONS", Severity: finding.Error, Section: "9.3",
		Means: "The marks of sections are out of order: one begins twice or inside another, or ends where it has not begun.",
		Fix:   "keep one pair of marks for each section, and one section out of the other"}
	ruleFrontmatter = finding.Rule{Code: "AGENT_FRONTMATTER", Severity: finding.Warning, Section: "9.7",
		Means: "Something in the frontmatter cannot be used, and counts as not declared. An agent whose tools cannot be read has none.",
		Fix:   "correct the field"}
	ruleDelegates = finding.Rule{Code: "AGENT_DELEGATES", Severity: finding.Warning, Section: "9.7",
		Means: "A persona names subagents and is not TYPE 1, so that it can never delegate.",
		Fix:   "make it TYPE 1, or take subagents out of its frontmatter"}
	ruleSubagent = finding.Rule{Code: "AGENT_SUBAGENT", Severity: finding.Error, Section: "9.7",
		Means: "A persona names a subagent that does not exist, that is not TYPE 2, or whose name has more than 58 characters. It is never delegated to.",
		Fix:   "correct the name, or the subagent's AGENT_TYPE"}
	ruleSubagentClass = finding.Rule{Code: "AGENT_SUBAGENT_CLASS", Severity: finding.Warning, Section: "9.7",
		Means: "A persona names a subagent whose AGENT_CLASS is not TASK.",
		Fix:   "declare AGENT_CLASS TASK in the subagent's table"}
	ruleEntry = finding.Rule{Code: "INSTRUCTION_ROOT_ENTRY", Severity: finding.Error, Section: "9",
		Means: "An instruction root lacks a folder or file that it must have; no turn can be taken with it.",
		Fix:   "add what is missing"}
)

// Rules are all kinds of findings about instruction files, for the reference.
func Rules() []finding.Rule {
	return []finding.Rule{
		ruleEntry, ruleFileName, ruleUnreadable, ruleNotText, ruleFrontmatter, ruleMarker, ruleHeading, ruleName, ruleType, ruleTypes,
		ruleTable, ruleProperty, ruleValue, ruleUnlisted, ruleRemark, ruleSection, ruleSections,
		ruleDelegates, ruleSubagent, ruleSubagentClass,
	}
}
