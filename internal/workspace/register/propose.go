package register

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
)

// Diff is what a proposal would change in a register.
type Diff struct {
	// New are rows that the register does not have.
	New []DiffRow `json:"new"`
	// Confirmed are rows of both, with what changes in them; often that is only the
	// day on which they were last seen.
	Confirmed []DiffRow `json:"confirmed"`
	// Retired are the rows that would become RETIRED: a complete proposal does not
	// have them, or has them as RETIRED.
	Retired []DiffRow `json:"retired"`
}

// DiffRow is one row of a [Diff].
type DiffRow struct {
	ID string `json:"dependencyId"`
	// Row is the record's number in the register, 0 for a new one.
	Row     int      `json:"row,omitempty"`
	Changes []Change `json:"changes"`
	// Kept says what of the proposal is not taken over, and why.
	Kept []string `json:"kept,omitempty"`
}

// Change is another value in one cell.
type Change struct {
	Column string `json:"column"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Changes reports whether there is anything to apply.
func (d *Diff) Changes() bool {
	return len(d.New) > 0 || len(d.Retired) > 0 ||
		slices.ContainsFunc(d.Confirmed, func(r DiffRow) bool { return len(r.Changes) > 0 })
}

// ProposalOptions say how a proposal is taken.
type ProposalOptions struct {
	// Host is the folder or the id of the deliverable.
	Host string
	// Complete is set for a proposal that has every row that was found: extracted
	// rows that it does not have are offered as RETIRED. Of those only the ones in
	// Retirable, by id, unless that is nil: a row that came to the register later
	// was not looked for.
	Complete  bool
	Retirable []string
	// Only are the rows that are applied, by id; nil applies all.
	Only []string
}

// maxProposalRows bounds a proposal.
const maxProposalRows = 10_000

// Apply takes a proposal, a register of its own, over into the register, and
// returns the result, which is nil when the proposal can not be applied as it is;
// the error, an INVALID_ one, then lists every problem. The diff is there in any
// case but that of a proposal that can not be read.
//
// Rows are matched by DependencyID. What the proposal leaves blank stays. So do
// FirstSeen, the satisfaction where it can not go to what the proposal says, for
// extraction and closure are independent (workspace 6.6), and of a row that people
// declared its Origin, and that it is ACTIVE: such rows are never retired.
func (r *Register) Apply(p *Register, o ProposalOptions) (*Register, *Diff, error) {
	if err := p.asProposal(); err != nil {
		return nil, nil, err
	}
	m := &merge{base: r, p: p, o: o, host: hostID(o.Host), diff: &Diff{New: []DiffRow{}, Confirmed: []DiffRow{}, Retired: []DiffRow{}}}
	m.d = newDraft(r, m.columns())
	if err := m.d.refused(); err != nil {
		return nil, nil, err
	}
	m.prepare()
	m.rows()
	k := checker{d: m.d, host: m.host, changedOnly: true, rowName: "row %d of the proposal", number: func(i int) int { return m.source[i] }}
	k.rows()
	if err := k.refuse(); err != nil {
		return nil, m.diff, err
	}
	after, err := m.d.finish()
	return after, m.diff, err
}

// asProposal is why a register can not be a proposal, or nil.
func (r *Register) asProposal() error {
	why := ""
	switch {
	case !r.utf8:
		why = "it is not UTF-8"
	case r.why != "":
		why = r.why
	case r.isOpen():
		why = "it ends inside of quotes"
	case !r.Has(DependencyID):
		why = "it has no column DependencyID"
	case len(r.rows) == 0:
		why = "it has no rows"
	case len(r.rows) > maxProposalRows:
		why = fmt.Sprintf("it has more than %d rows", maxProposalRows)
	default:
		for _, i := range r.rows {
			if int(r.records[i].n) > len(r.columns) {
				why = fmt.Sprintf("row %d has more cells than the header", i+1)
				break
			}
		}
	}
	for _, name := range r.columns {
		if bad := badName(name); bad != "" && why == "" {
			why = fmt.Sprintf("the column name %q %s", finding.Shown(name), bad)
		}
	}
	if why == "" {
		return nil
	}
	return fault.New(fault.InvalidSchema, "the proposal can not be read: %s", why).WithHint("a proposal is a register of the v3.1 schema, with a header")
}

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
		if c := m.d.known[i]; !ok || c < numColumns && int(m.d.at[c]) != i {
			at = -1
		}
		m.at[i] = at
	}
	m.only, m.retirable = setOf(m.o.Only), setOf(m.o.Retirable)
}

// setOf are ids to be looked up; nil stays nil.
func setOf(ids []string) map[string]bool {
	if ids == nil {
		return nil
	}
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
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
// row that people declared or in another.
func (m *merge) keeps(diff *DiffRow, c Column, before, after string, byPeople bool) bool {
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
			diff.Kept = append(diff.Kept, fmt.Sprintf("SatisfactionStatus stays %s: it can not go to %s", before, finding.Shown(after)))
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

// Changed are the rows that a diff changes, each with the columns: what
// [Summary.Update] is told.
func (d *Diff) Changed() map[string][]Column {
	all := map[string][]Column{}
	for _, rows := range [][]DiffRow{d.Confirmed, d.Retired} {
		for _, row := range rows {
			for _, c := range row.Changes {
				if column, ok := columnNamed[c.Column]; ok {
					all[row.ID] = append(all[row.ID], column)
				}
			}
		}
	}
	return all
}

// Changed tells how a register differs from the one that it was: the rows of both,
// by id, each with the columns that hold something else.
func Changed(before, after *Register) map[string][]Column {
	all := map[string][]Column{}
	match := newMatcher(before)
	for i := range after.rows {
		row := after.Row(i)
		was := match.find(row.ID())
		for c := range numColumns {
			if was >= 0 && before.Row(was).Value(c) != row.Value(c) {
				all[row.ID()] = append(all[row.ID()], c)
			}
		}
	}
	return all
}
