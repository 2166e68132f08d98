package register

import (
	"slices"
	"strings"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Project is what a register's rows refer to.
type Project interface {
	// Has reports whether the project has a deliverable of that id.
	Has(id string) bool
	// State is how far a deliverable is, "IN_PROGRESS", "" when that is not known.
	State(id string) string
}

// states are those of the lifecycle, in order (workspace 3.2).
var states = []string{"OPEN", "INITIALIZED", "SEMANTIC_READY", "IN_PROGRESS", "CHECKING", "ISSUED"}

// CheckProject compares the register with the rest of the project: whether the
// deliverables exist that ACTIVE rows are about, and whether those that are said to
// be satisfied have got so far. Today, YYYY-MM-DD, is the day after which none may
// lie; "" knows of none.
func (r *Register) CheckProject(path string, p Project, today string) []finding.Finding {
	var all []finding.Finding
	for i := range r.rows {
		row := r.Row(i)
		line := int(r.records[row.record].line)
		for _, c := range []Column{FirstSeen, LastSeen} {
			if day := trim(row.Raw(c)); today != "" && day > today && isDate(day) {
				all = append(all, ruleFuture.At(path, line, "%s is %s, and today is %s", c, day, today).In(row.Number(), c.String()).Of(day))
			}
		}
		if f, ok := row.checkTarget(path, p); ok {
			all = append(all, f)
		}
		if len(all) > maxFindings {
			break
		}
	}
	return all
}

// checkTarget judges the deliverable that an ACTIVE row is about.
func (w Row) checkTarget(path string, p Project) (finding.Finding, bool) {
	if w.Value(TargetType) != targetDeliverable || !w.Active() {
		return finding.Finding{}, false
	}
	target := layout.ParseName(trim(w.Raw(TargetDeliverableID)))
	line := int(w.r.records[w.record].line)
	switch {
	case target.Kind != layout.Deliverable:
		return finding.Finding{}, false
	case !p.Has(target.ID):
		return ruleTargetUnknown.At(path, line, "the project has no %s", target.ID).
			In(w.Number(), TargetDeliverableID.String()).Of(w.Raw(TargetDeliverableID)), true
	}
	needed := slices.Index(states, strings.ToUpper(trim(w.Raw(RequiredMaturity))))
	if needed < 0 || w.Value(Satisfaction) != satisfied || w.Value(Direction) != upstream {
		return finding.Finding{}, false
	}
	if is := slices.Index(states, p.State(target.ID)); is < 0 || is >= needed {
		return finding.Finding{}, false
	}
	return ruleTooEarly.At(path, line, "%s is %s, and has to be %s", target.ID, p.State(target.ID), states[needed]).
		In(w.Number(), Satisfaction.String()).Of(satisfied), true
}
