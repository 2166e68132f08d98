package register

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// IDChange is an id that becomes a valid one.
type IDChange struct {
	// Row is the record's number, the header being 1.
	Row    int    `json:"row"`
	Column string `json:"column"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// IDProblem is an id that stays as it is, and why.
type IDProblem struct {
	Row     int    `json:"row,omitempty"`
	Column  string `json:"column,omitempty"`
	Value   string `json:"value,omitempty"`
	Problem string `json:"problem"`
}

// Numbering gives the rows of one deliverable valid ids (workspace 6.8): those of its
// register, then those of proposals for it, which get the same. It is used by one
// goroutine.
type Numbering struct {
	// host is the deliverable's id; target finds the deliverable that an invalid id
	// means, or says why it cannot.
	host   string
	target func(id string) (valid, why string)
	// ids are the valid ids by the ones that they replace; used are the numbers that
	// are taken, highest the highest of them.
	ids     map[string]string
	used    map[int]bool
	highest int
}

// NewNumbering is the numbering of a deliverable, whose folder or id is host.
func NewNumbering(host string, target func(id string) (valid, why string)) *Numbering {
	return &Numbering{host: hostID(host), target: target, ids: map[string]string{}, used: map[int]bool{}}
}

// Reserve keeps the valid ids of a register from being given to other rows.
func (n *Numbering) Reserve(r *Register) {
	for i := range r.rows {
		if id := r.Row(i).ID(); isDependencyID(id) {
			n.take(id)
		}
	}
}

// IDs are the DependencyIDs that became valid, by what they were. An id that two rows
// had is that of the first.
func (n *Numbering) IDs() map[string]string { return n.ids }

// lastNumber is the highest that a DependencyID can have.
const lastNumber = 999

// Renumber makes the register in which every id is valid that can be: DependencyID,
// also where it is empty or another row has it, FromDeliverableID and
// TargetDeliverableID. Only the bytes of these cells change; a valid id never does.
func (n *Numbering) Renumber(r *Register) (after *Register, changes []IDChange, left []IDProblem) {
	if n.host == "" {
		return r, nil, []IDProblem{{Problem: "the folder is not named as a deliverable's"}}
	}
	if err := (&draft{base: r}).writable(); err != nil {
		problem := err.Error()
		if e := (*fault.Error)(nil); errors.As(err, &e) {
			problem = e.Message + "; " + e.Hint
		}
		return r, nil, []IDProblem{{Problem: problem}}
	}
	edits := splice{r: r}
	seen := map[string]bool{}
	n.Reserve(r)
	for i := range r.rows {
		row := r.Row(i)
		set := func(c Column, valid, why string) {
			before := strings.TrimSpace(row.Raw(c))
			if why == "" && !edits.set(row, c, valid) {
				why = "the row has no cell for it"
			}
			if why != "" {
				left = append(left, IDProblem{Row: row.Number(), Column: c.String(), Value: finding.Shown(before), Problem: why})
				return
			}
			changes = append(changes, IDChange{Row: row.Number(), Column: c.String(), Before: before, After: valid})
		}
		if id := row.ID(); r.Has(DependencyID) && (!isDependencyID(id) || seen[id]) {
			set(n.number(id, seen[id]))
			seen[id] = id != ""
		} else {
			seen[id] = true
		}
		if from := strings.TrimSpace(row.Raw(FromDeliverableID)); from != "" && !layout.IsDeliverableID(from) {
			set(n.from(from))
		}
		if id := strings.TrimSpace(row.Raw(TargetDeliverableID)); id != "" && !layout.IsDeliverableID(id) && row.Value(TargetType) == targetDeliverable {
			valid, why := n.target(id)
			set(TargetDeliverableID, valid, why)
		}
	}
	return edits.register(), changes, left
}

// take notes the number of a valid id.
func (n *Numbering) take(id string) {
	if number, err := strconv.Atoi(id[len(id)-3:]); err == nil && sameNumbers(id, n.host) {
		n.used[number] = true
		n.highest = max(n.highest, number)
	}
}

// number is the id for a row that has an invalid one, or that of another row: with
// the number at its end, or else the next one.
func (n *Numbering) number(id string, twice bool) (c Column, valid, why string) {
	if known := n.ids[id]; known != "" && !twice {
		return DependencyID, known, ""
	}
	digits := id[len(strings.TrimRight(id, "0123456789")):]
	number, err := strconv.Atoi(digits)
	if err != nil || number < 1 || number > lastNumber || n.used[number] || twice {
		number = n.highest + 1
		for free := 1; number > lastNumber && free <= lastNumber; free++ {
			if !n.used[free] {
				number = free
			}
		}
	}
	if number > lastNumber {
		return DependencyID, "", fmt.Sprintf("all %d numbers of %s are taken", lastNumber, n.host)
	}
	valid = fmt.Sprintf("DEP-%s-%03d", strings.TrimPrefix(n.host, "DEL-"), number)
	n.take(valid)
	if id != "" && !twice {
		n.ids[id] = valid
	}
	return DependencyID, valid, ""
}

// from is the id of the host, unless the text means another deliverable.
func (n *Numbering) from(text string) (c Column, valid, why string) {
	if meant, why := n.target(text); why == "" && layout.Number(meant) != layout.Number(n.host) {
		return FromDeliverableID, "", fmt.Sprintf("it means %s, and the register is that of %s", meant, n.host)
	}
	return FromDeliverableID, n.host, ""
}

// splice is a register with other values in some of its cells.
type splice struct {
	r     *Register
	edits []edit
}

type edit struct {
	cell
	value string
}

// set puts a value in the place of another, unless the row does not have the cell.
func (s *splice) set(row Row, c Column, value string) bool {
	at, rec := s.r.at[c], &s.r.records[row.record]
	if at < 0 || int(at) >= int(rec.n) {
		return false
	}
	s.edits = append(s.edits, edit{s.r.cells[int(rec.first)+int(at)], value})
	return true
}

func (s *splice) register() *Register {
	if len(s.edits) == 0 {
		return s.r
	}
	slices.SortFunc(s.edits, func(a, b edit) int { return int(a.start) - int(b.start) })
	var b strings.Builder
	at := uint32(0)
	for _, e := range s.edits {
		b.WriteString(s.r.text[at:e.start])
		b.WriteString(plainCell(e.value, e.form&quoted != 0))
		at = e.end
	}
	b.WriteString(s.r.text[at:])
	return Parse([]byte(b.String()))
}
