package register

import (
	"cmp"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
)

// satisfaction checks the moves of SatisfactionStatus against the register before.
func (k *checker) satisfaction() {
	for i := range k.d.rows {
		k.row, k.at = &k.d.rows[i], i
		if k.row.from < 0 {
			continue
		}
		before := Row{k.d.base, int(k.d.base.rows[k.row.from])}.Value(Satisfaction)
		if after := k.get(Satisfaction); !mayMove(before, after) {
			k.add(fault.InvalidSatisfactionTransition, Satisfaction, "SatisfactionStatus cannot go from %s to %s; %s",
				finding.Shown(before), finding.Shown(cmp.Or(after, "blank")), waysOn(moves[before]))
		}
	}
}

// moves are the ways that the satisfaction of a dependency can go (compatible
// contract, 8.3).
var moves = map[string][]string{
	satisfactionTBD: {pending, notApplicable, waived},
	pending:         {inProgress, notApplicable, waived},
	inProgress:      {satisfied, waived},
}

// mayMove reports whether a dependency may go from one satisfaction to another.
// What was not assessed may become anything. What was does not become blank
// again: the next write could then set anything (S35).
func mayMove(before, after string) bool {
	return before == after || before == "" || slices.Contains(moves[before], after)
}

// waysOn says where a satisfaction may go.
func waysOn(all []string) string {
	if len(all) == 0 {
		return "it stays as it is"
	}
	return "it may go to " + strings.Join(all, ", ")
}
