package register

import (
	"fmt"
	"slices"

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
	// Columns are those that a register gets with the rows, in its header and, empty, in
	// every other row.
	Columns []string `json:"columns,omitempty"`
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

// MaxProposalRows is how many rows a proposal may have.
const MaxProposalRows = 10_000

// Apply takes a proposal, a register of its own, over into the register, and
// returns the result, which is nil when the proposal cannot be applied as it is;
// the error, an INVALID_ one, then lists every problem. The diff is there in any
// case but that of a proposal that cannot be read.
//
// Rows are matched by DependencyID. What the proposal leaves blank stays. So do
// FirstSeen, the satisfaction where it cannot go to what the proposal says, for
// extraction and closure are independent (workspace 6.6), and of a row that people
// declared its Origin, and that it is ACTIVE: such rows are never retired. A word that
// a column does not take is refused wherever it is.
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
	if len(r.records) > 0 && m.diff.Changes() {
		m.diff.Columns = slices.DeleteFunc(slices.Clone(m.d.columns), func(name string) bool { return slices.Contains(r.columns, name) })
	}
	k := checker{d: m.d, host: m.host, lenient: true, rowName: "row %d of the proposal", number: func(i int) int { return m.source[i] }}
	k.rows()
	if err := k.refuse(); err != nil {
		return nil, m.diff, err
	}
	after, err := m.d.finish()
	return after, m.diff, err
}

// asProposal is why a register cannot be a proposal, or nil.
func (r *Register) asProposal() error {
	why, hint := "", "a proposal is a register of the v3.1 schema, with a header"
	switch {
	case !r.utf8:
		why = "it is not UTF-8"
	case r.why != "":
		why = r.why
	case r.isOpen():
		why = "it ends inside of quotes"
	case r.conflict() > 0:
		why, hint = conflicted(r.conflict()), "resolve the conflict first"
	case !r.Has(DependencyID):
		why, hint = r.lacksID()
	case len(r.rows) == 0:
		why = "it has no rows"
	case len(r.rows) > MaxProposalRows:
		why = fmt.Sprintf("it has %d rows, more than the %d that are taken at once", len(r.rows), MaxProposalRows)
		hint = fmt.Sprintf("import it with belay deps import --no-retire, in parts: files of at most %d rows, each with the header", MaxProposalRows)
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
	return fault.New(fault.InvalidSchema, "the proposal cannot be read: %s", why).WithHint("%s", hint)
}

// Changed counts the rows of a register that hold something else than in the one that
// it was.
func Changed(before, after *Register) (n int) {
	match := newMatcher(before)
	for i := range after.rows {
		row := after.Row(i)
		was := match.find(row.ID())
		for c := range numColumns {
			if was >= 0 && before.Row(was).Value(c) != row.Value(c) {
				n++
				break
			}
		}
	}
	return n
}
