package decomposition

import (
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/layout"
)

// kind is what an id is of.
type kind string

const (
	kindPackage     kind = "PKG"
	kindDeliverable kind = "DEL"
	kindScopeItem   kind = "SOW"
	kindObjective   kind = "OBJ"
)

// reference is a cell or heading that begins with an id.
type reference struct {
	kind kind
	id   string
	// label is what follows the id; joined says that it does so at an underline
	// (the short name in the id), parted that a dash or colon stands between.
	label          string
	joined, parted bool
	// malformed is set when the id is none, although it begins like one.
	malformed bool
}

var (
	leadingID = lazyregexp.New(`^(PKG|DEL|SOW|OBJ)-([0-9]+(?:-[0-9]+)*)`)
	anyID     = lazyregexp.New(`\b(?:PKG-[0-9]{2,3}|DEL-[0-9]{2,3}-[0-9]{2})`)
	parting   = lazyregexp.New(`^(?:\s*(?:[—–:|]|-+(?:\s|$))|\s+-+)\s*`)
)

// refer reads the id at the beginning of text. It is false where there is none, or
// where text goes on with something that is no name: a list of ids.
func refer(text string) (reference, bool) {
	text = plain(text)
	m := leadingID.FindStringSubmatch(text)
	if m == nil {
		return reference{}, false
	}
	r := reference{kind: kind(m[1]), id: m[0]}
	rest := text[len(m[0]):]
	// The mark around an id alone: "**DEL-01-01** — Name".
	rest = strings.TrimLeft(rest, "*`")
	switch label, joined := strings.CutPrefix(rest, "_"); {
	case rest == "":
	case joined:
		r.label, r.joined = label, true
	case parting.MatchString(rest):
		r.label, r.parted = parting.ReplaceAllString(rest, ""), true
	case rest[0] == ' ' || rest[0] == '\t':
		r.label = rest
	default:
		return reference{}, false
	}
	r.label = plain(r.label)
	if at := anyID.FindStringIndex(r.label); at != nil && (at[0] == 0 || !r.parted && !r.joined) {
		return reference{}, false
	}
	switch r.kind {
	case kindPackage:
		r.malformed = !layout.IsPackageID(r.id)
	case kindDeliverable:
		r.malformed = !layout.IsDeliverableID(r.id)
	}
	return r, true
}

var (
	// numbered is a heading with a section number, or the word for what it is about,
	// before the id.
	numbered = lazyregexp.New(`^(?:[0-9]+(?:\.[0-9]+)*[.)]?\s+)?(?:(?i:(?:work\s+)?package|deliverable)[\s:—–-]*)?((?:PKG|DEL|SOW|OBJ)-[0-9].*)$`)
	// trailing is a heading with the package's id in brackets after its name.
	trailing = lazyregexp.New(`^(.*\S)\s*[(\[](PKG-[0-9]{2,3})[)\]]$`)
)

// referHeading is [refer] for a heading.
func referHeading(text string) (reference, bool) {
	text = plain(text)
	if r, ok := refer(text); ok {
		return r, true
	}
	if m := numbered.FindStringSubmatch(text); m != nil {
		return refer(m[1])
	}
	if m := trailing.FindStringSubmatch(text); m != nil && anyID.FindStringIndex(m[1]) == nil {
		return reference{kind: kindPackage, id: m[2], label: m[1]}, true
	}
	return reference{}, false
}
