package lifecycle

import (
	"slices"
	"strconv"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/document"
)

// inTable adds a row where the table has its newest one, which is in line newest,
// -1 where it has none.
func (s *Status) inTable(t columns, newest int, e Entry) ([]edit, error) {
	if e.Notes != "" && t.notes < 0 {
		return nil, fault.Invalid([]fault.Problem{{Field: "note", Message: "cannot be kept: the table in _STATUS.md has no column for notes"}})
	}
	cells := make([]string, len(t.Header))
	for column, text := range map[int]string{t.date: e.Date, t.from: e.From, t.to: e.State, t.actor: e.Actor, t.notes: e.Notes} {
		if column >= 0 {
			cells[column] = text
		}
	}
	header := s.doc.Line(t.Line)
	row := header[:len(header)-len(strings.TrimLeft(header, " \t"))] + document.TableRow(cells...)
	first := t.Line + 2
	last := first
	if n := len(t.Rows); n > 0 {
		last = t.Rows[n-1].Line + 1
	}
	var own []Entry
	for _, each := range s.history.entries {
		if each.Source == "table" && t.Line < each.line && each.line < last {
			own = append(own, each)
		}
	}
	var all []edit
	for _, at := range around(orderOf(own), first, last, newest, newest+1) {
		all = append(all, edit{line: at, texts: []string{row}})
	}
	return all, nil
}

// around are the lines before which a new entry may go, the likeliest first: where
// the newest is in a history of that order, which begins at first and is over at
// end; in one without order beside its newest entry, newest ≤ line < after.
func around(o order, first, end, newest, after int) []int {
	switch {
	case newest < 0:
		return []int{end}
	case o == oldestFirst:
		return []int{end, after, newest, first}
	case o == newestFirst || newest == first:
		return []int{first, newest, after, end}
	}
	return []int{after, newest, end, first}
}

// inList adds an item to the list with the newest one, which begins in line newest.
func (s *Status) inList(newest int, e Entry) []edit {
	all := s.history.items
	at := slices.IndexFunc(all, func(it item) bool { return it.first == newest })
	low, high := at, at+1
	for low > 0 && s.adjacent(all[low-1], all[low]) {
		low--
	}
	for high < len(all) && s.adjacent(all[high-1], all[high]) {
		high++
	}
	list := all[low:high]
	spaced := len(list) > 1 && list[1].first > list[0].end
	var own []Entry
	for _, it := range list {
		if entry, ok := it.entry(); ok {
			own = append(own, entry)
		}
	}
	dated := slices.DeleteFunc(slices.Clone(list), func(it item) bool { return it.date == "" })
	first, end := dated[0].first, dated[len(dated)-1].end
	var edits []edit
	for _, line := range around(orderOf(own), first, end, newest, all[at].end) {
		edits = append(edits, edit{line: line, texts: s.itemLines(all[at], line, spaced, list, e)})
	}
	return edits
}

// adjacent reports whether nothing but blank lines is between two items.
func (s *Status) adjacent(a, b item) bool {
	for i := a.end; i < b.first; i++ {
		if strings.TrimSpace(s.doc.Line(i)) != "" {
			return false
		}
	}
	return true
}

// itemLines are the lines of a new item in the form of another one, for a place
// before a line of its list. In a list with blank lines between its items it
// brings one along.
func (s *Status) itemLines(like item, line int, spaced bool, list []item, e Entry) []string {
	bullet, shut := like.bullet, like.shut
	if strings.TrimSpace(bullet) == bullet {
		bullet += " "
	}
	if line == list[len(list)-1].end {
		bullet = following(list[len(list)-1].bullet, bullet)
	}
	if !strings.HasSuffix(shut, " ") {
		shut += " "
	}
	text := bullet + like.open + e.Date + shut + reported(e)
	switch {
	case !spaced:
		return []string{text}
	case slices.ContainsFunc(list, func(it item) bool { return it.first == line }):
		return []string{text, ""}
	}
	return []string{"", text}
}

// following is the mark after a numbered item's: the next number. Other marks stay
// as they are.
func following(last, bullet string) string {
	number := strings.TrimLeft(last, " ")
	end := strings.IndexAny(number, ".)")
	if end < 1 {
		return bullet
	}
	n, err := strconv.Atoi(number[:end])
	if err != nil {
		return bullet
	}
	return last[:len(last)-len(number)] + strconv.Itoa(n+1) + number[end:]
}
