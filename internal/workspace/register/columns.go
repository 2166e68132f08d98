package register

import "strings"

// Column is a column that the specification names (workspace 6.2).
type Column int

// The columns, the core ones first and in their order.
const (
	SchemaVersion Column = iota
	DependencyID
	FromPackageID
	FromDeliverableID
	FromDeliverableName
	Class
	AnchorType
	Direction
	Type
	TargetType
	TargetPackageID
	TargetDeliverableID
	TargetRefID
	TargetName
	TargetLocation
	Statement
	EvidenceFile
	SourceRef
	EvidenceQuote
	Explicitness
	RequiredMaturity
	ProposedMaturity
	Satisfaction
	Confidence
	Origin
	FirstSeen
	LastSeen
	Status
	Notes
	// The extensions, which a register may have.
	EstimateImpactClass
	ConsumerHint

	numColumns
	numCore = EstimateImpactClass
)

var columnNames = [numColumns]string{
	"RegisterSchemaVersion", "DependencyID", "FromPackageID", "FromDeliverableID", "FromDeliverableName", "DependencyClass", "AnchorType",
	"Direction", "DependencyType", "TargetType", "TargetPackageID", "TargetDeliverableID", "TargetRefID", "TargetName", "TargetLocation",
	"Statement", "EvidenceFile", "SourceRef", "EvidenceQuote", "Explicitness", "RequiredMaturity", "ProposedMaturity", "SatisfactionStatus",
	"Confidence", "Origin", "FirstSeen", "LastSeen", "Status", "Notes", "EstimateImpactClass", "ConsumerHint",
}

// String is the column's name in a header.
func (c Column) String() string { return columnNames[c] }

// What a register says of itself.
const (
	Version = "v3.1"
	// locationTBD stands for evidence whose place is still to be found.
	locationTBD = "location TBD"
)

// Values that rules are about.
const (
	classAnchor    = "ANCHOR"
	classExecution = "EXECUTION"

	implementsNode      = "IMPLEMENTS_NODE"
	tracesToRequirement = "TRACES_TO_REQUIREMENT"
	notApplicable       = "NOT_APPLICABLE"

	upstream   = "UPSTREAM"
	downstream = "DOWNSTREAM"

	typeOther         = "OTHER"
	targetDeliverable = "DELIVERABLE"

	satisfactionTBD = "TBD"
	pending         = "PENDING"
	inProgress      = "IN_PROGRESS"
	satisfied       = "SATISFIED"
	waived          = "WAIVED"

	declared  = "DECLARED"
	extracted = "EXTRACTED"

	statusActive  = "ACTIVE"
	statusRetired = "RETIRED"
)

// enumeration is the words that a column may hold.
type enumeration struct {
	words []string
	// legacy are words of older registers and what they mean today.
	legacy map[string]string
}

// place is where a word stands among them, from 1; 0 is one that is none of them. They
// are so few that looking through them is quicker than a map.
func (e *enumeration) place(word string) uint8 {
	if e != nil && word != "" {
		for i, w := range e.words {
			if w == word {
				return uint8(i + 1)
			}
		}
	}
	return 0
}

// has reports whether a word is one of them; none is one of nil's.
func (e *enumeration) has(word string) bool { return e.place(word) > 0 }

// enumerations are the words of each column that has any (workspace 6.3).
var enumerations = [numColumns]*enumeration{
	Class:      words(classAnchor, classExecution),
	AnchorType: words(implementsNode, tracesToRequirement, notApplicable),
	Direction:  words(upstream, downstream).but(map[string]string{"INBOUND": upstream, "OUTBOUND": downstream}),
	Type: words("PREREQUISITE", "INTERFACE", "HANDOVER", "CONSTRAINT", "ENABLES", typeOther).
		but(map[string]string{"COORDINATION": typeOther, "INFORMATION": typeOther}),
	TargetType:   words(targetDeliverable, "PACKAGE", "WBS_NODE", "REQUIREMENT", "DOCUMENT", "EQUIPMENT", "EXTERNAL", "UNKNOWN"),
	Explicitness: words("EXPLICIT", "IMPLICIT"),
	Satisfaction: words(satisfactionTBD, pending, inProgress, satisfied, waived, notApplicable),
	Confidence:   words("HIGH", "MEDIUM", "LOW"),
	Origin:       words(declared, extracted),
	Status:       words(statusActive, statusRetired),

	EstimateImpactClass: words("BLOCKING", "ADVISORY", "INFO", "TBD"),
	ConsumerHint:        words("TASK", "TASK_ESTIMATING", "AGGREGATION", "RECONCILIATION", "TBD"),
}

func words(all ...string) *enumeration { return &enumeration{words: all} }

func (e *enumeration) but(legacy map[string]string) *enumeration {
	e.legacy = legacy
	return e
}

// required are the columns that no row may leave empty.
var required = [...]Column{
	SchemaVersion, DependencyID, FromPackageID, FromDeliverableID, FromDeliverableName, Class, AnchorType, Direction, Type, TargetType,
	Origin, FirstSeen, LastSeen, Status,
}

// canonical is a value as the view has it, and whether a legacy word was replaced.
func canonical(c Column, value string) (string, bool) {
	e := enumerations[c]
	if e == nil || e.has(value) {
		return value, false
	}
	word := strings.ToUpper(strings.TrimSpace(value))
	if meant, ok := e.legacy[word]; ok {
		return meant, true
	}
	return word, false
}

// coreNames and canonicalHeader are the header that a new register gets.
var (
	coreNames       = columnNames[:numCore]
	canonicalHeader = strings.Join(coreNames, ",")

	nowhere, inOrder = placed(0), placed(numCore)
	columnNamed      = byName()
)

// placed are the positions of columns where the first n stand in their order.
func placed(n Column) (at places) {
	for c := range numColumns {
		at[c] = -1
		if c < n {
			at[c] = int16(c)
		}
	}
	return at
}

func byName() map[string]Column {
	all := make(map[string]Column, numColumns)
	for c := range numColumns {
		all[columnNames[c]] = c
	}
	return all
}
