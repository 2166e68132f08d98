package lifecycle

import (
	"slices"
	"strings"

	"belay/internal/workspace/document"
)

// history is the section with the history, as the file has it.
type history struct {
	// found is false where there is no such section; then the rest is empty.
	found   bool
	section document.Section
	// again are the lines of further sections of that kind.
	again []int
	// entries are in the file's order.
	entries []Entry
	items   []item
	tables  []columns
	// prose are the lines of items that name no state.
	prose []int
	// odd are the lines of rows that name neither date nor state.
	odd []int
}

// columns is a table of the history with the places of its columns, -1 for those
// that it lacks.
type columns struct {
	document.Table
	date, from, to, actor, notes int
}

// The names that a history table's columns have.
var (
	dateColumn  = []string{"Date", "When", "Timestamp"}
	fromColumn  = []string{"From", "From State", "Previous", "Previous State", "Old State"}
	toColumn    = []string{"To", "To State", "State", "New State", "Status"}
	actorColumn = []string{"Actor", "Agent/Actor", "Agent", "By", "Who", "Changed By", "Author"}
	notesColumn = []string{"Notes", "Note", "Comment", "Comments", "Reason", "Reason/Evidence", "Description", "Remarks"}
)

func readHistory(doc *document.Document, sections []document.Section) history {
	var h history
	for _, s := range sections {
		if !slices.ContainsFunc(historyNames, func(n string) bool { return document.Same(s.Text, n) }) {
			continue
		}
		if h.found {
			h.again = append(h.again, s.Line)
			continue
		}
		h.found, h.section = true, s
	}
	if !h.found {
		return h
	}
	for _, t := range doc.Tables(h.section.First, h.section.End) {
		if c, ok := columnsOf(t); ok {
			h.tables = append(h.tables, c)
		}
	}
	h.items = items(doc, h.section)
	h.read(doc)
	return h
}

// read gathers the entries of tables and lists in the order of their lines.
func (h *history) read(doc *document.Document) {
	tables, items := h.tables, h.items
	for len(tables)+len(items) > 0 {
		if len(items) == 0 || len(tables) > 0 && tables[0].Line < items[0].first {
			h.readTable(doc, tables[0])
			tables = tables[1:]
			continue
		}
		it := items[0]
		items = items[1:]
		if e, ok := it.entry(); ok {
			h.entries = append(h.entries, e)
		} else if it.text != "" {
			h.prose = append(h.prose, it.first)
		}
	}
}

func (h *history) readTable(doc *document.Document, t columns) {
	for _, r := range t.Rows {
		date, _ := dateOf(cell(r, t.date))
		to := cell(r, t.to)
		state, _ := stateOf(to)
		if to == "" || !shaped(date) && !state.Known() {
			if strings.Trim(strings.Join(r.Cells, ""), " -:") != "" {
				h.odd = append(h.odd, r.Line)
			}
			continue
		}
		e := Entry{
			Date: date, State: string(state), Actor: cell(r, t.actor), Notes: cell(r, t.notes),
			Source: "table", Raw: strings.TrimSpace(doc.Line(r.Line)), line: r.Line,
		}
		if from := cell(r, t.from); strings.Trim(from, "-–— `*_") != "" {
			state, _ := stateOf(from)
			e.From = string(state)
		}
		h.entries = append(h.entries, e)
	}
}

// cell is a row's cell in a column, "" where it has none.
func cell(r document.Row, column int) string {
	if column < 0 || column >= len(r.Cells) {
		return ""
	}
	return r.Cells[column]
}

// columnsOf finds a history's columns in a table by their names, or, as the
// original did, by their places: date, from, to, actor, notes.
func columnsOf(t document.Table) (columns, bool) {
	c := columns{Table: t, date: column(t, dateColumn), from: column(t, fromColumn), to: column(t, toColumn),
		actor: column(t, actorColumn), notes: column(t, notesColumn)}
	if c.date == 0 && c.to < 0 && len(t.Header) >= 5 {
		c.from, c.to, c.actor, c.notes = 1, 2, 3, 4
	}
	return c, c.date >= 0 && c.to >= 0
}

func column(t document.Table, names []string) int {
	for _, n := range names {
		if i := slices.IndexFunc(t.Header, func(h string) bool { return document.Same(h, n) }); i >= 0 {
			return i
		}
	}
	return -1
}
