package lifecycle

import (
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/document"
)

// item is an item of a list in the history, taken apart so that another one like
// it can be written: bullet, open, date, shut, text.
type item struct {
	// first ≤ line < end are its lines: an item goes on as far as it is indented.
	first, end int
	// bullet is everything up to its text, such as "- " or "  1. ".
	bullet string
	// open and shut stand around the date, shut with what leads over to the text:
	// "[" and "] — ". A time of day after the date is in neither.
	open, shut string
	// date is "" where the item begins with none.
	date string
	// text is what follows, all lines joined; raw are the lines as written.
	text, raw string
}

// bulletForm is the beginning of an item: at most three blanks, a mark, blanks.
var bulletForm = lazyregexp.New(`^( {0,3})(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)`)

// dateForm is a date with what people put around and after it: the separator may
// be a hyphen, an EN or EM dash, two hyphens, a colon, a bar, or nothing.
var dateForm = lazyregexp.New("^([\\[(`*_~]*)([0-9]{4}-[0-9]{2}-[0-9]{2})" +
	`(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?(?: ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?)?` +
	"([\\])`*_~:]*[ \\t]*(?:(?:--|[-–—:|])[ \\t]*)?)(.*)$")

// items finds the items of the lists in a section.
func items(doc *document.Document, s document.Section) []item {
	var all []item
	for i := s.First; i < s.End; i++ {
		line := doc.Line(i)
		if !mayBegin(line) {
			continue
		}
		m := bulletForm.FindStringSubmatch(line)
		if m == nil || doc.Inert(i) || pageRule(line) {
			continue
		}
		it := item{first: i, bullet: m[0], end: itemEnd(doc, i, s.End, len(m[1]))}
		it.take(doc)
		all = append(all, it)
		i = it.end - 1
	}
	return all
}

// mayBegin tells most lines from those that begin an item.
func mayBegin(line string) bool {
	text := strings.TrimLeft(line, " ")
	return text != "" && (strings.IndexByte("-*+", text[0]) >= 0 || digit(text[0]))
}

// pageRule reports whether a line is a rule across the page, and no item: ***, * * *.
func pageRule(line string) bool {
	text := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, line)
	return len(text) >= 3 && strings.Trim(text, text[:1]) == "" && strings.ContainsRune("-*_", rune(text[0]))
}

// itemEnd is the line after an item that begins at line i: it goes on with lines
// that are indented more than its mark, also after blank ones, and with lines
// that follow without a blank one, unless they begin something else. A comment ends it: what
// is added after the item would otherwise land in it.
func itemEnd(doc *document.Document, i, end, indent int) int {
	last, blank := i, false
	for j := i + 1; j < end; j++ {
		line := doc.Line(j)
		text := strings.TrimLeft(line, " \t")
		deeper := len(line)-len(text) > indent+1 || strings.HasPrefix(line, "\t")
		switch {
		case doc.Commented(j):
			return last + 1
		case text == "":
			blank = true
			continue
		case deeper || doc.Fenced(j) && !blank:
		case blank, bulletForm.MatchString(line), strings.HasPrefix(text, "#"), strings.HasPrefix(text, "|"), pageRule(line):
			return last + 1
		}
		last, blank = j, false
	}
	return last + 1
}

// take reads the item's lines.
func (it *item) take(doc *document.Document) {
	lines := make([]string, 0, it.end-it.first)
	for j := it.first; j < it.end; j++ {
		lines = append(lines, doc.Line(j))
	}
	it.raw = strings.TrimSpace(strings.Join(lines, "\n"))
	it.text = strings.TrimSpace(lines[0][len(it.bullet):])
	if m := dateForm.FindStringSubmatch(it.text); m != nil {
		it.open, it.date, it.shut, it.text = m[1], m[2], m[3], strings.TrimSpace(m[4])
	}
	if len(lines) == 1 {
		return
	}
	var b strings.Builder
	b.WriteString(it.text)
	for _, more := range lines[1:] {
		if more = strings.TrimSpace(more); more != "" {
			b.WriteString(" " + more)
		}
	}
	it.text = b.String()
}

// The ways in which an item says that the state changed; what stands for a state
// is checked afterwards.
var (
	word      = "[`*_]*([A-Za-z][A-Za-z0-9_]*)[`*]*"
	setForm   = lazyregexp.New(`(?i)^[*_]*State[*_]*:? (?:was )?(?:set|reset|moved|changed|advanced|updated|transitioned|promoted|returned|reverted|restored|verified|confirmed)(?:/[a-z]+)?(?: back)?(?: from ` + word + `)? (?:to|as|at) ` + word + `(.*)$`)
	stayForm  = lazyregexp.New(`(?i)^State (?:remains|stays)(?: at| in)? ` + word + `(.*)$`)
	arrowForm = lazyregexp.New(`^(?:State:? )?` + word + `[ \t]*(?:→|->|=>|⇒)[ \t]*` + word + `(.*)$`)
	bareForm  = lazyregexp.New(`^(?:State:? )?` + word + `((?:[ \t]*\(|[ \t]+[-–—]).*|)$`)
)

// entry reads the change of state that the item reports.
func (it item) entry() (Entry, bool) {
	if it.date == "" {
		return Entry{}, false
	}
	e := Entry{Date: it.date, Source: "list", Raw: it.raw, line: it.first}
	var rest string
	if m := setForm.FindStringSubmatch(it.text); m != nil && (isState(m[2]) || capitals(m[2])) {
		e.From, e.State, rest = upper(m[1]), upper(m[2]), m[3]
	} else if m := stayForm.FindStringSubmatch(it.text); m != nil && (isState(m[1]) || capitals(m[1])) {
		e.From, e.State, rest = upper(m[1]), upper(m[1]), m[2]
	} else if m := arrowForm.FindStringSubmatch(it.text); m != nil && (isState(m[1]) || isState(m[2])) {
		e.From, e.State, rest = upper(m[1]), upper(m[2]), m[3]
	} else if m := bareForm.FindStringSubmatch(it.text); m != nil && State(m[1]).Known() {
		e.State, rest = m[1], m[2]
	} else {
		return Entry{}, false
	}
	e.Actor, e.Notes = actorOf(rest)
	return e, true
}

func upper(s string) string { return strings.ToUpper(strings.Trim(s, "_")) }

func isState(s string) bool { return State(upper(s)).Known() }

// capitals reports whether a word could be the name of a state that the
// lifecycle does not have: RETIRED, ON_HOLD.
func capitals(s string) bool { return len(s) > 2 && s == strings.ToUpper(s) }

// actorOf reads what follows a state: the actor in round brackets, and a note,
// perhaps in square ones.
func actorOf(rest string) (actor, notes string) {
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "(") {
		depth := 0
		for i, c := range rest {
			if c == '(' {
				depth++
			} else if c == ')' {
				depth--
			}
			if depth == 0 {
				actor, rest = strings.TrimSpace(rest[1:i]), strings.TrimSpace(rest[i+1:])
				break
			}
		}
	}
	if inner, ok := strings.CutPrefix(rest, "["); ok && strings.HasSuffix(inner, "]") {
		return actor, strings.TrimSpace(strings.TrimSuffix(inner, "]"))
	}
	return actor, strings.TrimSpace(strings.TrimLeft(rest, ":.;,"))
}
