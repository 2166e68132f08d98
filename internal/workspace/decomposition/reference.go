package decomposition

import (
	"fmt"
	"strconv"
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

// Ids of scope items and objectives in running text, also as ranges.
var (
	scopeIDs     = lazyregexp.New(`SOW-([0-9]{1,6})(?:\s*(?:[–—…]|-+|\.\.\.?|\bto\b|\bthrough\b)\s*SOW-([0-9]{1,6}))?`)
	objectiveIDs = lazyregexp.New(`OBJ-([0-9]{1,6})(?:\s*(?:[–—…]|-+|\.\.\.?|\bto\b|\bthrough\b)\s*OBJ-([0-9]{1,6}))?`)
)

// maxListed bounds how many ids the ranges of one value are written out to.
const maxListed = 10_000

// listed returns the ids in text, each once, ranges written out. Of a range only
// the ids that exist count, where known says so of both its ends: projects leave
// gaps.
func listed(ids *lazyregexp.Regexp, text string, known map[string]bool) []string {
	var all []string
	seen := map[string]bool{}
	add := func(id string) {
		if !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
	}
	written := 0
	for _, m := range ids.FindAllStringSubmatch(text, -1) {
		prefix := m[0][:len("SOW-")]
		first, last := m[1], m[2]
		add(prefix + first)
		if last == "" {
			continue
		}
		from, _ := strconv.Atoi(first) // six digits at most
		to, _ := strconv.Atoi(last)
		ends := known[layout.Number(prefix+first)] && known[layout.Number(prefix+last)]
		for n := from + 1; n < to && written < maxListed; n++ {
			written++
			if id := fmt.Sprintf("%s%0*d", prefix, len(first), n); !ends || known[layout.Number(id)] {
				add(id)
			}
		}
		add(prefix + last)
	}
	return all
}
