package register

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/workspace/finding"
)

// merge is the work of [Register.Apply].
type merge struct {
	base, p *Register
	o       ProposalOptions
	host    string
	d       *draft
	diff    *Diff
	// at is where the proposal has each column of the draft, -1 for nowhere; only
	// are the rows that are wanted, retirable those that may go, nil for all.
	at              []int
	only, retirable map[string]bool
	// source is the row of the proposal from which each row of the draft comes, 0
	// for none.
	source []int
}

// columns are those of the proposal with values that the register does not have.
func (m *merge) columns() []string {
	var more []string
	for k, name := range m.p.columns {
		if slices.Contains(m.base.columns, name) {
			continue
		}
		for _, i := range m.p.rows {
			if strings.TrimSpace(m.p.cellOf(int(i), k)) != "" {
				more = append(more, name)
				break
			}
		}
	}
	return more
}

// prepare looks up what is asked of every row.
func (m *merge) prepare() {
	named := make(map[string]int, len(m.p.columns))
	for i, name := range m.p.columns {
		named[name] = i
	}
	m.at = make([]int, len(m.d.columns))
	for i, name := range m.d.columns {
		at, ok := named[name]
		if !ok || !m.d.named[i] {
			at = -1
		}
		m.at[i] = at
	}
	m.only, m.retirable = setOf(m.o.Only), setOf(m.o.Retirable)
}

// setOf are texts to be looked up; nil stays nil.
func setOf(texts []string) map[string]bool {
	if texts == nil {
		return nil
	}
	set := make(map[string]bool, len(texts))
	for _, t := range texts {
		set[t] = true
	}
	return set
}

// rows makes the rows of the draft: those of the register in their places, then
// the new ones.
func (m *merge) rows() {
	match := newMatcher(m.base)
	proposed := make([]int, len(m.base.rows)) // row of the proposal, from 1
	var added []int
	for i := range m.p.rows {
		if at := match.find(m.p.Row(i).ID()); at >= 0 {
			proposed[at] = i + 1
		} else {
			added = append(added, i)
		}
	}
	for i := range m.base.rows {
		row := draftRow{from: i, cells: m.d.before(i)}
		switch id := m.base.Row(i).ID(); {
		case proposed[i] > 0:
			m.confirm(&row, m.p.Row(proposed[i]-1))
		case m.mayRetire(&row, id):
			m.retire(&row, id)
		}
		m.d.rows = append(m.d.rows, row)
		m.source = append(m.source, proposed[i])
	}
	for _, i := range added {
		m.add(i)
	}
	for i, n := range m.source {
		if n > 0 {
			m.source[i] = m.p.Row(n - 1).Number()
		}
	}
}

// mayRetire reports whether a row that the proposal does not have is offered as
// RETIRED.
func (m *merge) mayRetire(row *draftRow, id string) bool {
	return m.o.Complete && id != "" && m.d.get(row, Status) == statusActive && m.d.get(row, Origin) != declared &&
		(m.retirable == nil || m.retirable[id])
}

// wanted reports whether a row is to be applied.
func (m *merge) wanted(id string) bool { return m.only == nil || m.only[id] }

// valuesOf are the values of a proposed row in the draft's columns; blank ones are
// not said.
func (m *merge) valuesOf(row Row) []string {
	values := make([]string, len(m.d.columns))
	for i, at := range m.at {
		if v := m.p.cellOf(row.record, at); strings.TrimSpace(v) != "" {
			values[i], _ = normalized(m.d.known[i], v)
		}
	}
	return values
}

func (m *merge) confirm(row *draftRow, proposed Row) {
	before := row.cells
	after := slices.Clone(before)
	diff := DiffRow{ID: proposed.ID(), Row: m.base.Row(row.from).Number()}
	byPeople := m.d.get(row, Origin) == declared
	for i, v := range m.valuesOf(proposed) {
		if v == "" || v == before[i] || before[i] != "" && m.keeps(&diff, m.d.known[i], before[i], v, byPeople) {
			continue
		}
		after[i] = v
	}
	diff.Changes = m.changes(before, after)
	retired := m.d.at[Status] >= 0 && after[m.d.at[Status]] == statusRetired && before[m.d.at[Status]] != statusRetired
	if retired {
		m.diff.Retired = append(m.diff.Retired, diff)
	} else {
		m.diff.Confirmed = append(m.diff.Confirmed, diff)
	}
	if len(diff.Changes) > 0 && m.wanted(diff.ID) {
		row.cells, row.changed = after, true
	}
}

// keeps reports whether the register keeps a value against the proposal's, in a
// row that people declared or in another. It does not against a word that the column
// does not take: that is a mistake, and refused as one.
func (m *merge) keeps(diff *DiffRow, c Column, before, after string, byPeople bool) bool {
	if c < numColumns && enumerations[c] != nil && !enumerations[c].has(after) {
		return false
	}
	switch c {
	case DependencyID, FirstSeen:
		return true
	case LastSeen:
		return isDate(before) && after < before
	case Origin:
		return byPeople
	case Status:
		if byPeople && after == statusRetired {
			diff.Kept = append(diff.Kept, fmt.Sprintf("Status stays %s: people declared the row", before))
			return true
		}
	case Satisfaction:
		if !mayMove(before, after) {
			diff.Kept = append(diff.Kept, fmt.Sprintf("SatisfactionStatus stays %s: it cannot go to %s", before, finding.Shown(after)))
			return true
		}
	}
	return false
}

func (m *merge) retire(row *draftRow, id string) {
	before := row.cells
	after := slices.Clone(before)
	after[m.d.at[Status]] = statusRetired
	m.diff.Retired = append(m.diff.Retired, DiffRow{ID: id, Row: m.base.Row(row.from).Number(), Changes: m.changes(before, after)})
	if m.wanted(id) {
		row.cells, row.changed = after, true
	}
}

func (m *merge) add(i int) {
	proposed := m.p.Row(i)
	row := draftRow{from: -1, cells: m.valuesOf(proposed), changed: true}
	if at := m.d.at[SchemaVersion]; at >= 0 && row.cells[at] == "" {
		row.cells[at] = Version
	}
	m.diff.New = append(m.diff.New, DiffRow{ID: proposed.ID(), Changes: m.changes(make([]string, len(row.cells)), row.cells)})
	if m.wanted(proposed.ID()) {
		m.d.rows = append(m.d.rows, row)
		m.source = append(m.source, i+1)
	}
}

func (m *merge) changes(before, after []string) []Change {
	all := []Change{}
	for i := range after {
		if before[i] != after[i] {
			all = append(all, Change{Column: m.d.columns[i], Before: before[i], After: after[i]})
		}
	}
	return all
}
