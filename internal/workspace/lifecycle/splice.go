package lifecycle

import (
	"cmp"
	"slices"
	"strings"

	"belay/internal/workspace/document"
)

// edit is one change of a file: a field that gets another value, a line that gets
// another text, or new lines before a line.
type edit struct {
	line  int
	field *document.Field
	value string
	texts []string
	set   bool
}

func (e edit) apply(doc *document.Document) {
	switch {
	case e.field != nil:
		doc.SetField(*e.field, e.value)
	case e.set:
		doc.Set(e.line, e.texts[0])
	default:
		doc.Insert(e.line, e.texts...)
	}
}

// sorted puts edits in the order of their lines, new lines before the line that
// they go before; applied from the last to the first, none moves another's line.
func sorted(edits []edit) []edit {
	changes := func(e edit) int {
		if e.set || e.field != nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(changes(a), changes(b)))
	})
	return edits
}

// headerEdits change the state, the date and the fields at the file's top.
func (s *Status) headerEdits(state, date string, fields []Field) []edit {
	edits := []edit{{line: s.state.Line, field: s.state, value: dressed(s.state.Value, state)}}
	spaced, anchor := false, *s.state
	if s.updated != nil {
		edits = append(edits, edit{line: s.updated.Line, field: s.updated, value: date})
		spaced = s.updated.Line == s.state.Line+2 && strings.TrimSpace(s.doc.Line(s.state.Line+1)) == ""
		if s.updated.Line > s.state.Line {
			anchor = *s.updated
		}
	} else {
		edits = append(edits, edit{line: s.state.Line + 1, texts: []string{s.like(anchor, updatedLabels[0], date)}})
	}
	first, end := s.header()
	var own []document.Field
	is := map[int]bool{}
	for _, f := range s.fields {
		if first <= f.Line && f.Line < end {
			own, is[f.Line] = append(own, f), true
		}
	}
	at := anchor.Line + 1
	for is[at] || spaced && is[at+1] && strings.TrimSpace(s.doc.Line(at)) == "" {
		at++
	}
	for _, f := range fields {
		if old := labelled(own, []string{f.Key}); old != nil {
			edits = append(edits, edit{line: old.Line, field: old, value: f.Value})
			continue
		}
		line := s.like(anchor, f.Key, f.Value)
		if spaced {
			edits = append(edits, edit{line: at, texts: []string{"", line}})
		} else {
			edits = append(edits, edit{line: at, texts: []string{line}})
		}
	}
	return edits
}

// dressed is a state with the emphasis that the value before it had.
func dressed(old, state string) string {
	for _, mark := range []string{"**", "`", "*", "_", `"`} {
		if len(old) > 2*len(mark) && strings.HasPrefix(old, mark) && strings.HasSuffix(old, mark) {
			return mark + state + mark
		}
	}
	return state
}

// like is a new field's line in the form of one that is there: with its
// indentation and list mark, its place of the colon, and blanks at the end, which
// make a line break.
func (s *Status) like(f document.Field, label, value string) string {
	line := s.doc.Line(f.Line)
	lead, rest, _ := strings.Cut(line, "**")
	name, _, _ := strings.Cut(rest, "**")
	tail := line[len(strings.TrimRight(line, " \t")):]
	if !strings.HasSuffix(strings.TrimSpace(name), ":") {
		return lead + "**" + label + "**: " + value + tail
	}
	return lead + "**" + label + ":** " + value + tail
}

// places are the edits that add an entry to the history, the likeliest first. Which
// of them reads well is tried out.
func (s *Status) places(e Entry) ([]edit, error) {
	h := &s.history
	if !h.found {
		return []edit{s.newSection(e)}, nil
	}
	if len(h.entries) == 0 {
		return s.firstEntry(e)
	}
	ordered := chronological(h.entries)
	newest := ordered[len(ordered)-1]
	if newest.Source == "table" {
		for _, t := range h.tables {
			if t.Line < newest.line && newest.line <= t.Rows[len(t.Rows)-1].Line {
				return s.inTable(t, newest.line, e)
			}
		}
	}
	return s.inList(newest.line, e), nil
}

// newSection adds a history at the end of the file, in the specification's form.
func (s *Status) newSection(e Entry) edit {
	texts := []string{"## " + historyNames[0], plainItem(e)}
	if n := s.doc.Len(); n > 0 && strings.TrimSpace(s.doc.Line(n-1)) != "" {
		texts = append([]string{""}, texts...)
	}
	return edit{line: s.doc.Len(), texts: texts}
}

// plainItem is an entry in the specification's form.
func plainItem(e Entry) string { return "- " + e.Date + " — " + reported(e) }

// reported is what an item says after its date.
func reported(e Entry) string {
	text := "State set to " + e.State + " (" + e.Actor + ")"
	if e.Notes != "" {
		text += " [" + e.Notes + "]"
	}
	return text
}

// firstEntry adds an entry to a history without any.
func (s *Status) firstEntry(e Entry) ([]edit, error) {
	h := &s.history
	if len(h.tables) > 0 {
		return s.inTable(h.tables[0], -1, e)
	}
	for _, it := range h.items {
		if it.text == "" && it.date == "" { // the original's mark for no entry
			return []edit{{line: it.first, set: true, texts: []string{strings.TrimRight(it.bullet, " \t") + " " + strings.TrimPrefix(plainItem(e), "- ")}}}, nil
		}
	}
	if n := len(h.items); n > 0 {
		return []edit{{line: h.items[n-1].end, texts: []string{plainItem(e)}}}, nil
	}
	// The body reaches to the first heading, be it of a part of the section.
	end, headed := h.section.End, h.section.End < s.doc.Len()
	for _, heading := range s.doc.Headings() {
		if h.section.First <= heading.Line && heading.Line < end {
			end, headed = heading.Line, true
			break
		}
	}
	last := h.section.Line
	for i := h.section.First; i < end; i++ {
		if strings.TrimSpace(s.doc.Line(i)) != "" {
			last = i
		}
	}
	texts := []string{plainItem(e)}
	if last > h.section.Line {
		texts = []string{"", texts[0]}
	}
	if headed && last+1 == end {
		texts = append(texts, "")
	}
	return []edit{{line: last + 1, texts: texts}}, nil
}
