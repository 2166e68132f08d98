package register

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
)

// matcher finds the rows of a register that a request is about. Each is found
// once.
type matcher struct {
	r    *Register
	byID map[string][]int // in the order of the file
	used []bool
}

func newMatcher(r *Register) *matcher {
	m := &matcher{r: r, byID: make(map[string][]int, len(r.rows)), used: make([]bool, len(r.rows))}
	for i := range r.rows {
		if id := r.Row(i).ID(); id != "" {
			m.byID[id] = append(m.byID[id], i)
		}
	}
	return m
}

// find returns the row with an id, -1 when there is none that was not found yet.
func (m *matcher) find(id string) int {
	id = strings.TrimSpace(id)
	rows := m.byID[id]
	if len(rows) == 0 {
		return -1
	}
	m.byID[id] = rows[1:]
	m.used[rows[0]] = true
	return rows[0]
}

// adopt finds the rows of the base that have no valid id yet: each becomes the new
// row that says the same in every other column.
func (d *draft) adopt(m *matcher) {
	added := map[string][]int{}
	for i, row := range d.rows {
		if row.from < 0 {
			key := d.butID(row.cells)
			added[key] = append(added[key], i)
		}
	}
	for i := range d.base.rows {
		if m.used[i] || isDependencyID(d.base.Row(i).ID()) {
			continue
		}
		key := d.butID(d.before(i))
		if rows := added[key]; len(rows) > 0 {
			d.rows[rows[0]].from, m.used[i], added[key] = i, true, rows[1:]
		}
	}
}

// butID is the same for rows that differ in their id alone.
func (d *draft) butID(cells []string) string {
	var b strings.Builder
	for i, c := range cells {
		if i != int(d.at[DependencyID]) {
			b.WriteString(strconv.Quote(c))
		}
	}
	return b.String()
}

// left names the rows that were not found: by id, or by number where they have
// none.
func (m *matcher) left() []string {
	var all []string
	for i, used := range m.used {
		if used {
			continue
		}
		row := m.r.Row(i)
		name := cmp.Or(finding.Shown(row.ID()), fmt.Sprintf("row %d", row.Number()))
		all = append(all, name)
	}
	return all
}

// deletion is the error for a request that leaves rows out.
func deletion(left []string) error {
	shown := left
	if len(shown) > 10 {
		shown = append(slices.Clone(left[:10]), fmt.Sprintf("and %d more", len(left)-10))
	}
	return fault.New(fault.RowDeletionRefused, "rows are never deleted, and these are not in the request: %s", strings.Join(shown, ", ")).
		With("dependencyIds", left)
}
