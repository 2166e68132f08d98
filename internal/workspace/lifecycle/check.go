package lifecycle

import (
	"path"
	"slices"
	"strings"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// checker gathers what is wrong with one file.
type checker struct {
	*Status
	path string
	all  []finding.Finding
}

// maxFindings bounds the findings about entries of one history.
const maxFindings = 200

// Check says how the file differs from the specification and where its history
// contradicts itself. Path is relative to the project, with slashes; the folder
// in it tells whose file this should be. Findings come in the order of lines.
func (s *Status) Check(path string) []finding.Finding {
	c := &checker{Status: s, path: path}
	if !s.doc.Valid() {
		c.at(ruleEncoding, -1, "the file is not UTF-8 text, or holds NUL bytes")
		return c.all // what else there is to say of it would be guessed
	}
	if line := s.doc.Conflict(); line > 0 {
		c.at(ruleConflict, line-1, "a conflict of a merge begins here")
		return c.all // as above
	}
	c.checkTitle()
	c.checkFields()
	c.checkForm()
	c.checkEntries()
	finding.Sort(c.all)
	return c.all
}

// at adds a finding about a line, which counts from 0; -1 is the whole file.
func (c *checker) at(r finding.Rule, line int, format string, args ...any) *finding.Finding {
	c.all = append(c.all, r.At(c.path, line+1, format, args...))
	return &c.all[len(c.all)-1]
}

// with adds one that shows a value.
func (c *checker) with(r finding.Rule, line int, value, format string, args ...any) {
	f := c.at(r, line, format, args...)
	*f = f.Of(value)
}

func (c *checker) checkTitle() {
	if c.title < 0 {
		c.at(ruleTitle, -1, "there is no title")
		return
	}
	folder := layout.ParseName(path.Base(path.Dir(c.path)))
	rest, ok := strings.CutPrefix(c.Title, "Status: ")
	id, _, _ := strings.Cut(rest, " ")
	if !ok || !layout.IsDeliverableID(id) && !layout.IsKnowledgeID(id) {
		c.with(ruleTitle, c.title, c.Title, "the title is %q", finding.Shown(c.Title))
	}
	for _, w := range strings.FieldsFunc(c.Title, func(r rune) bool { return strings.ContainsRune(" :_,()", r) }) {
		if folder.ID != "" && w != folder.ID && (layout.IsDeliverableID(w) || layout.IsKnowledgeID(w)) {
			c.with(ruleID, c.title, w, "the title names %s, the folder is %s", w, folder.ID)
			return
		}
	}
}

func (c *checker) checkFields() {
	switch why, ok := c.Readable(); {
	case !ok && c.state == nil:
		c.at(ruleNoState, -1, "%s", why)
	case !ok:
		c.at(ruleNoState, c.state.Line, "%s", why)
	default:
		c.checkState()
	}
	if c.updated == nil {
		c.at(ruleNoUpdated, -1, "there is no line **Last Updated:**")
		return
	}
	if !same(c.updated.Label, updatedLabels[0]) {
		c.with(ruleLabel, c.updated.Line, c.updated.Label, "the date of the last update has the label %q", finding.Shown(c.updated.Label))
	}
	date, exact := dateOf(c.updated.Value)
	switch {
	case !calendar(date):
		c.with(ruleDate, c.updated.Line, c.updated.Value, "Last Updated is no date: %q", finding.Shown(c.updated.Value))
	case !exact:
		c.with(ruleForm, c.updated.Line, c.updated.Value, "Last Updated holds more than a date")
	}
}

func (c *checker) checkState() {
	if !same(c.state.Label, stateLabels[0]) {
		c.with(ruleLabel, c.state.Line, c.state.Label, "the current state has the label %q", finding.Shown(c.state.Label))
	}
	state, exact := stateOf(c.state.Value)
	switch {
	case !state.Known():
		c.with(ruleUnknown, c.state.Line, c.state.Value, "the current state is %q, which the lifecycle does not have", finding.Shown(c.state.Value))
	case !exact:
		c.with(ruleForm, c.state.Line, c.state.Value, "the current state is written %q", finding.Shown(c.state.Value))
	}
	for _, f := range c.fields {
		if f.Line == c.state.Line || !same(f.Label, c.state.Label) {
			continue
		}
		if other, _ := stateOf(f.Value); other != state {
			c.with(ruleTwice, f.Line, f.Value, "a second line says that the current state is %q; the first one counts", finding.Shown(f.Value))
			return
		}
	}
}

func (c *checker) checkForm() {
	h := &c.history
	if !h.found {
		c.at(ruleNoHistory, -1, "there is no section ## History")
		return
	}
	if len(h.again) > 0 {
		c.at(ruleTwice, h.again[0], "a second section with a history; only the first one is read")
	}
	if s := h.section; s.Level != 2 || s.Text != historyNames[0] {
		c.with(ruleHeading, s.Line, s.Text, "the history's heading is %s %s", strings.Repeat("#", s.Level), finding.Shown(s.Text))
	}
	lists, tables := c.bySource("list"), c.bySource("table")
	switch {
	case len(lists) > 0 && len(tables) > 0:
		c.at(ruleMixed, h.section.Line, "%d entries are in a list, %d in a table", len(lists), len(tables))
	case len(tables) == 1:
		c.at(ruleTable, tables[0], "1 entry is a row of a table")
	case len(tables) > 0:
		c.at(ruleTable, tables[0], "%d entries are rows of a table", len(tables))
	}
	c.several(ruleProse, slices.Concat(h.prose, h.odd), "entry names no state and is passed over", "entries name no state and are passed over")
	var odd []int
	for _, it := range h.items {
		if _, ok := it.entry(); ok && (strings.TrimSpace(it.bullet) != "-" || it.open != "" || strings.TrimSpace(it.shut) != "—" && strings.TrimSpace(it.shut) != "-") {
			odd = append(odd, it.first)
		}
	}
	c.several(ruleList, odd, "entry is not of the form - DATE — State set to STATE (ACTOR)", "entries are not of the form - DATE — State set to STATE (ACTOR)")
}

// bySource are the lines of the entries that come from a list, or a table.
func (c *checker) bySource(source string) (lines []int) {
	for _, e := range c.history.entries {
		if e.Source == source {
			lines = append(lines, e.line)
		}
	}
	return lines
}
