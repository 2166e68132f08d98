package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/workspace/finding"
)

// several reports many lines at once, at the first of them.
func (c *checker) several(r finding.Rule, lines []int, one, more string) {
	switch len(lines) {
	case 0:
	case 1:
		c.at(r, lines[0], "1 %s", one)
	default:
		c.at(r, slices.Min(lines), "%d %s, this the first", len(lines), more)
	}
}

// checkEntries walks through the history from the oldest entry to the newest.
func (c *checker) checkEntries() {
	entries := c.history.entries
	if len(entries) == 0 {
		if c.history.found {
			c.at(ruleEmpty, c.history.section.Line, "the history has no entry")
		}
		return
	}
	if orderOf(entries) == mixed {
		c.at(ruleOrder, turns(entries), "the entries are ordered by date neither from the oldest nor from the newest")
	}
	ordered := chronological(entries)
	for i, e := range ordered {
		if len(c.all) >= maxFindings {
			c.at(ruleMore, -1, "the history has more findings than the %d that are listed", maxFindings)
			break
		}
		before := ""
		if i > 0 {
			before = ordered[i-1].State
		}
		c.checkEntry(e, before)
	}
	newest := ordered[len(ordered)-1]
	if _, ok := c.Readable(); ok && newest.State != c.CurrentState {
		c.with(ruleDisagrees, c.state.Line, c.CurrentState, "the current state is %s, the newest entry (line %d) says %s",
			finding.Shown(c.CurrentState), newest.line+1, finding.Shown(newest.State))
	}
	last := ""
	for _, e := range ordered {
		last = max(last, dated(e))
	}
	if c.updated != nil && calendar(c.LastUpdated) && c.LastUpdated < last {
		c.with(ruleUpdated, c.updated.Line, c.LastUpdated, "Last Updated is %s, the newest entry of %s", c.LastUpdated, last)
	}
}

// turns is the line of the first entry whose date breaks the order.
func turns(entries []Entry) int {
	before, way := "", 0
	for _, e := range entries {
		if !calendar(e.Date) {
			continue
		}
		now := strings.Compare(e.Date, before)
		if before != "" && now != 0 {
			if way != 0 && way != now {
				return e.line
			}
			way = now
		}
		before = e.Date
	}
	return entries[0].line
}

// checkEntry checks one entry, which follows one that ended in the state before,
// "" for the first.
func (c *checker) checkEntry(e Entry, before string) {
	if !calendar(e.Date) {
		c.with(ruleDate, e.line, e.Date, "the entry's date is no date: %q", finding.Shown(e.Date))
	}
	from, to := State(e.From), State(e.State)
	if before != "" && e.From != "" && e.From != before {
		c.at(ruleGap, e.line, "the entry begins in %s, the one before it ended in %s", finding.Shown(e.From), finding.Shown(before))
	}
	if e.From == "" {
		from = State(before)
	}
	if !to.Known() {
		c.with(ruleUnknown, e.line, e.State, "the entry's state is %q, which the lifecycle does not have", finding.Shown(e.State))
		return
	}
	may, ok := allowed(from, to)
	switch {
	case from == "" && to != Open:
		c.at(ruleBegins, e.line, "the history begins with %s", to)
	case from == to:
		return // a note about the state that it is in
	case !ok && from.Known() && to.rank() < from.rank():
		c.at(ruleBackward, e.line, "the entry goes back from %s to %s", from, to)
	case !ok && from.Known():
		c.at(ruleSkipped, e.line, "no transition leads from %s to %s", from, to)
	case ok && strings.TrimSpace(e.Actor) == "":
		c.at(ruleActor, e.line, "the entry names nobody; %s", only(may, from, to))
	case ok && !among(e.Actor, may):
		c.with(ruleActor, e.line, e.Actor, "%s is none who may make the transition; %s", finding.Shown(e.Actor), only(may, from, to))
	}
}

// allowed are the actors of a transition, the creation included.
func allowed(from, to State) ([]string, bool) {
	if from == "" && to == Open {
		return []string{Preparation}, true
	}
	r, ok := rule(from, to)
	return r.Actors, ok
}

// only says who may.
func only(may []string, from, to State) string {
	if from == "" {
		return fmt.Sprintf("only %s opens a deliverable", strings.Join(may, " or "))
	}
	return fmt.Sprintf("only %s may go from %s to %s", strings.Join(may, " or "), from, to)
}
