// Package layout is how an execution root is laid out: the folders it has, and
// what the ids and labels of packages, deliverables and knowledge types look
// like.
//
// Contract: workspace spec, sections 1, 2 and 10; compatible contract, 8.4.
package layout

import (
	"regexp"
	"strings"
	"unicode"
)

// The folders of a package (workspace 1.1).
const (
	References = "0_References"
	Working    = "1_Working"
	Checking   = "2_Checking"
	Issued     = "3_Issued"
	Archive    = "_Archive"
)

// PackageFolders are the folders that a package has, parents first.
var PackageFolders = []string{
	References, References + "/" + Archive,
	Working, Working + "/" + Archive,
	Checking, Checking + "/From", Checking + "/To",
	Issued, Issued + "/" + Archive,
}

// Decomposition is the tool root with the decomposition documents.
const Decomposition = "_Decomposition"

// ToolRoots are the project's folders for what is derived (workspace 1.2), with
// what belongs into them.
var ToolRoots = []string{
	"_Aggregation", "_Aggregation/_Archive", "_Aggregation/_Templates",
	"_Change", "_Coordination", Decomposition, Decomposition + "/_Archive",
	"_Estimates", "_Reconciliation", Archive, "_Scripts", "_Sources",
}

// The files of an execution root and of a deliverable (workspace 1 and 2.1).
const (
	InitFile         = "INIT.md"
	CoordinationFile = "_Coordination/_COORDINATION.md"
	LatestFile       = "_LATEST.md"

	StatusFile       = "_STATUS.md"
	ContextFile      = "_CONTEXT.md"
	DependenciesFile = "_DEPENDENCIES.md"
	ReferencesFile   = "_REFERENCES.md"
	RegisterFile     = "Dependencies.csv"
	MemoryFile       = "MEMORY.md"
	SemanticFile     = "_SEMANTIC.md"
	LensingFile      = "_SEMANTIC_LENSING.md"
)

// DocumentKit are the documents of an initialized deliverable.
var DocumentKit = []string{"Datasheet.md", "Specification.md", "Guidance.md", "Procedure.md"}

// Minimum are the files of a deliverable in state OPEN (workspace 2.1).
var Minimum = []string{StatusFile, ContextFile, DependenciesFile, ReferencesFile, SemanticFile}

// Ids as real projects write them: two digits, or three.
var (
	packageID     = regexp.MustCompile(`^PKG-[0-9]{2,3}$`)
	deliverableID = regexp.MustCompile(`^DEL-[0-9]{2,3}-[0-9]{2}$`)
	knowledgeID   = regexp.MustCompile(`^KTY-[0-9A-Za-z]{2}-[0-9A-Za-z]{2}$`)
)

// IsPackageID, IsDeliverableID and IsKnowledgeID report whether an id is well
// formed.
func IsPackageID(id string) bool     { return packageID.MatchString(id) }
func IsDeliverableID(id string) bool { return deliverableID.MatchString(id) }
func IsKnowledgeID(id string) bool   { return knowledgeID.MatchString(id) }

// Kind is what a folder's name makes it.
type Kind int

// The kinds of folders.
const (
	Other Kind = iota
	Package
	Deliverable
	KnowledgeType
)

// Name is a folder's name, taken apart.
type Name struct {
	Kind Kind
	// ID is "PKG-01", "DEL-01-02" or "KTY-AB-01", Label what follows the
	// underline, as it is written.
	ID, Label string
}

// ParseName takes a folder's name apart.
func ParseName(folder string) Name {
	id, label, _ := strings.Cut(folder, "_")
	kind := Other
	switch {
	case IsPackageID(id):
		kind = Package
	case IsDeliverableID(id):
		kind = Deliverable
	case IsKnowledgeID(id):
		kind = KnowledgeType
	default:
		return Name{}
	}
	return Name{Kind: kind, ID: id, Label: label}
}

// SameNumber reports whether a deliverable's id belongs to a package's: DEL-01-02
// to PKG-01, and to PKG-001.
func SameNumber(deliverable, pkg string) bool {
	number, _, ok := strings.Cut(strings.TrimPrefix(deliverable, "DEL-"), "-")
	trim := func(s string) string { return strings.TrimLeft(s, "0") }
	return ok && trim(number) == trim(strings.TrimPrefix(pkg, "PKG-"))
}

// Sanitize makes a name safe for a file system (workspace 10.1). What no file
// system takes beyond the specification goes too: control characters, and dots
// and blanks at the end, which Windows drops.
func Sanitize(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, r):
			return '-'
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	name = strings.Join(strings.Fields(name), " ")
	return strings.TrimRight(name, ". ")
}
