// Package layout is how an execution root is laid out: the folders it has, and
// what the ids and labels of packages, deliverables and knowledge types look
// like.
//
// Contract: workspace spec, sections 1, 2 and 10; compatible contract, 8.4.
package layout

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"belay/internal/lazyregexp"
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

// Proposals is the folder with what agents propose for registers, in belay's own folder.
const Proposals = ".belay/proposals"

// Decomposition is the tool root with the decomposition documents.
const Decomposition = "_Decomposition"

// MaxDecompositions is how many documents of it are read, the first by name.
const MaxDecompositions = 100

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

	// AgentMemoryFile must not exist (workspace 8.2): nothing makes one.
	AgentMemoryFile = "_MEMORY.md"
)

// DocumentKit are the documents of an initialized deliverable.
var DocumentKit = []string{"Datasheet.md", "Specification.md", "Guidance.md", "Procedure.md"}

// Minimum are the files of a deliverable in state OPEN (workspace 2.1).
var Minimum = []string{StatusFile, ContextFile, DependenciesFile, ReferencesFile, SemanticFile}

// IsPackageID reports whether an id is PKG- and two digits, or three as real
// projects write them too.
func IsPackageID(id string) bool {
	number, ok := strings.CutPrefix(id, "PKG-")
	return ok && isPackageNumber(number)
}

// IsDeliverableID reports whether an id is DEL-, a package's number, a dash and two
// digits.
func IsDeliverableID(id string) bool {
	rest, ok := strings.CutPrefix(id, "DEL-")
	number, sequence, both := strings.Cut(rest, "-")
	return ok && both && isPackageNumber(number) && len(sequence) == 2 && isEach(sequence, isDigit)
}

// IsKnowledgeID reports whether an id is KTY- and twice two letters or digits.
func IsKnowledgeID(id string) bool {
	rest, ok := strings.CutPrefix(id, "KTY-")
	domain, topic, both := strings.Cut(rest, "-")
	return ok && both && len(domain) == 2 && isEach(domain, isAlphanumeric) && len(topic) == 2 && isEach(topic, isAlphanumeric)
}

func isPackageNumber(s string) bool {
	return (len(s) == 2 || len(s) == 3) && isEach(s, isDigit)
}

func isEach(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlphanumeric(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

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
	var kind Kind
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

// Number is an id without the zeros in front of its numbers, in which two
// spellings of it may differ: PKG-01 and PKG-001 are one package.
func Number(id string) string {
	if !strings.Contains(id, "-0") {
		return id
	}
	number := make([]byte, 0, len(id))
	leads := false // nothing but zeros came since the last dash
	for i := range len(id) {
		switch c := id[i]; {
		case c == '-':
			leads = true
		case c == '0' && leads:
			continue
		default:
			leads = false
		}
		number = append(number, id[i])
	}
	return string(number)
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

// snapshotFolder is the name of a published snapshot (workspace 11.1): a label, a
// date, a time, and a number where there are several of one minute.
var snapshotFolder = lazyregexp.New(`^.+_[0-9]{4}-[0-9]{2}-[0-9]{2}_[0-9]{4}(?:_[0-9]+)?$`)

// IsSnapshot reports whether a folder is named as a published snapshot is.
func IsSnapshot(folder string) bool { return snapshotFolder.MatchString(folder) }

var snapshotMoment = lazyregexp.New(`_([0-9]{4}-[0-9]{2}-[0-9]{2}_[0-9]{4})(?:_([0-9]+))?$`)

// SnapshotTime is the minute in the name of a snapshot, "" where it has none, and its number in
// that minute, 1 for the first.
func SnapshotTime(folder string) (minute string, number int) {
	m := snapshotMoment.FindStringSubmatch(folder)
	if m == nil {
		return "", 0
	}
	number, err := strconv.Atoi(cmp.Or(m[2], "1"))
	if err != nil {
		number = math.MaxInt // more digits than a number has
	}
	return m[1], number
}

// CompareSnapshots compares two snapshots by the times in their names.
func CompareSnapshots(a, b string) int {
	minuteA, numberA := SnapshotTime(a)
	minuteB, numberB := SnapshotTime(b)
	return cmp.Or(strings.Compare(minuteA, minuteB), cmp.Compare(numberA, numberB))
}

// MaxName is the longest name that every file system takes, in bytes.
const MaxName = 255

// Folder is the name of a package's or deliverable's folder (workspace 10.2), ""
// when the name leaves nothing that a folder could bear. A name that no file
// system takes is cut; the whole one is in _CONTEXT.md.
func Folder(id, name string) string {
	label := Sanitize(name)
	if label == "" {
		return ""
	}
	folder := id + "_" + label
	if len(folder) > MaxName {
		end := MaxName
		for !utf8.RuneStart(folder[end]) {
			end--
		}
		folder = strings.TrimRight(folder[:end], ". ")
	}
	return folder
}
