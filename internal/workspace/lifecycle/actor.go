package lifecycle

import (
	"slices"
	"strings"
	"unicode"
)

// Actor is a name as the table of transitions has it: in capitals, with
// underlines, and HUMAN for the names that stand for a person. Only those names:
// an agent whose name begins like one of them is an agent.
func Actor(name string) string {
	name = strings.Join(strings.Fields(name), "_")
	for _, r := range name {
		if r >= 0x80 {
			return name // other scripts have letters that become ASCII in capitals
		}
	}
	name = strings.ToUpper(name)
	if name == "USER" || name == "OPERATOR" {
		return Human
	}
	return name
}

// parties are the actors that an entry of a history names, as people write them:
// "WORKING_ITEMS/TASK (Codex)" are WORKING_ITEMS and TASK.
func parties(text string) []string {
	text = withoutBrackets(text)
	text = unmarked.Replace(text)
	var all []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("/+&,;|", r) }) {
		if name := Actor(part); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// unmarked takes the marks off names and puts a slash between them.
var unmarked = strings.NewReplacer("`", "", "*", "", " and ", "/", " AND ", "/")

// withoutBrackets is text without what stands in round brackets. Those that are
// not closed reach to the end.
func withoutBrackets(text string) string {
	if !strings.ContainsRune(text, '(') {
		return text
	}
	depth := 0
	return strings.Map(func(r rune) rune {
		switch {
		case r == '(':
			depth++
			return -1
		case r == ')' && depth > 0:
			depth--
			return -1
		case depth > 0:
			return -1
		}
		return r
	}, text)
}

// among reports whether an entry's actors are or include one of those that may.
// Agents are known by what their names begin with, since entries say more of them
// ("4_DOCUMENTS Pass 1+2 complete"); a person must be named exactly.
func among(text string, may []string) bool {
	if slices.Contains(may, text) {
		return true // as most are written
	}
	return slices.ContainsFunc(parties(text), func(p string) bool {
		return slices.ContainsFunc(may, func(m string) bool {
			return p == m || m != Human && strings.HasPrefix(p, m+"_")
		})
	})
}

// plain says why a text of a caller's cannot go into a line of the file, or "".
func plain(text string) string {
	for _, r := range text {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return "must not hold line breaks or other control characters"
		case unicode.Is(unicode.Bidi_Control, r), r == '\ufeff':
			return "must not hold invisible marks that change how a line reads"
		case r == unicode.ReplacementChar:
			return "must be UTF-8"
		}
	}
	return ""
}
