package register

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

const (
	// maxNamed bounds the ids that one finding names.
	maxNamed = 10
	// maxLists bounds the lists of rows that are looked at.
	maxLists = 100
)

// Check says what is wrong with the summary: with its form, and where it does not
// agree with the register, nil when the deliverable has none. Path is what the
// findings name; host the folder or the id of the deliverable, "" when it is not
// known.
func (s *Summary) Check(path, host string, r *Register) []finding.Finding {
	if !s.Text() {
		return []finding.Finding{ruleSummaryText.At(path, 0, "the file is not text")}
	}
	if line := s.Conflict(); line > 0 { // what else there is to say of it would be guessed
		return []finding.Finding{ruleSummaryConflict.At(path, line, "a conflict of a merge begins here")}
	}
	all := s.checkTitle(path, hostID(host))
	all = append(all, s.checkMode(path, r)...)
	all = append(all, s.checkSections(path, r)...)
	all = append(all, s.checkRegisterLine(path)...)
	if r != nil {
		all = append(all, s.checkLabels(path)...)
		all = append(all, s.checkListed(path, r)...)
		all = append(all, s.checkCounts(path, r)...)
	}
	return all
}

func (s *Summary) checkTitle(path, host string) []finding.Finding {
	headings := s.doc.Headings()
	if len(headings) == 0 || headings[0].Level > 1 {
		return []finding.Finding{ruleTitle.At(path, 1, "there is no title").WithFix("begin with # Dependencies: %s and the name", cmp.Or(host, "the deliverable's id"))}
	}
	h := headings[0]
	rest, ok := strings.CutPrefix(h.Text, "Dependencies:")
	id, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if ok && (host == "" && layout.IsDeliverableID(id) || host != "" && id == host) {
		return nil
	}
	return []finding.Finding{ruleTitle.At(path, h.Line+1, "the title is %q", finding.Shown(h.Text)).WithFix("write # Dependencies: %s and the name", cmp.Or(host, "the deliverable's id"))}
}

func (s *Summary) checkMode(path string, r *Register) []finding.Finding {
	value, line, section := s.mode()
	if line == 0 {
		return []finding.Finding{ruleModeMissing.At(path, 0, "there is no tracking mode")}
	}
	var all []finding.Finding
	if !section {
		all = append(all, ruleModePlace.At(path, line, "the tracking mode stands elsewhere than in the section %s", sectionMode))
	}
	switch value {
	case Tracked:
		if r == nil {
			all = append(all, ruleTrackedWithout.At(path, line, "the mode is %s and there is no %s", Tracked, layout.RegisterFile))
		}
	case NotTracked, Declared:
		if n := r.extracted(); n > 0 {
			all = append(all, ruleModeDisagrees.At(path, line, "the mode is %s and the register has %d ACTIVE extracted rows", value, n).Of(value))
		}
	default:
		f := ruleModeUnknown.At(path, line, "%s is no tracking mode", finding.Shown(value)).Of(value)
		if n := r.extracted(); n > 0 {
			f = f.WithFix("write %s, as the register has %d ACTIVE extracted rows", Tracked, n)
		}
		all = append(all, f)
	}
	return all
}

// extracted is the number of ACTIVE rows that were extracted. A nil register has
// none.
func (r *Register) extracted() (n int) {
	if r == nil {
		return 0
	}
	for i := range r.rows {
		if row := r.Row(i); row.Active() && row.Value(Origin) == extracted {
			n++
		}
	}
	return n
}

func (s *Summary) checkSections(path string, r *Register) []finding.Finding {
	var all []finding.Finding
	for _, p := range s.parts[1:] {
		if name, aliased := document.Canonical(layout.DependenciesFile, p.heading); aliased && p.name != "" {
			all = append(all, ruleSectionName.At(path, p.first+1, "the section %s is called %q", name, finding.Shown(p.heading)).
				WithFix("call it %s", name))
		}
	}
	wanted := humanSections[1:] // the mode has a rule of its own
	if r != nil {
		wanted = append(wanted[:len(wanted):len(wanted)], sectionRegister, sectionLifecycle, sectionNotes, sectionHistory)
	}
	for _, name := range wanted {
		if _, ok := s.part(name); !ok {
			all = append(all, ruleSectionMissing.At(path, 0, "there is no section %s", name).WithFix("add ## %s", name))
		}
	}
	return all
}

// checkRegisterLine looks for the line that names the register.
func (s *Summary) checkRegisterLine(path string) []finding.Finding {
	for _, p := range s.parts {
		if slices.ContainsFunc(s.doc.Fields(p.first, p.end), func(f document.Field) bool { return strings.EqualFold(f.Label, "Register") }) {
			return nil
		}
	}
	line := 0
	if p, ok := s.part(sectionMode); ok {
		line = p.first + 1
	}
	return []finding.Finding{ruleRegisterLine.At(path, line, "no line says which register the deliverable has")}
}

// checkLabels looks for the six labelled lines of the register's section.
func (s *Summary) checkLabels(path string) []finding.Finding {
	p, ok := s.part(sectionRegister)
	if !ok {
		return nil // which is a finding of its own
	}
	if line, empty := s.only(p, notExtracted); empty {
		return []finding.Finding{ruleNotWritten.At(path, line+1, "it says that nothing is extracted, and there is a register")}
	}
	fields := s.doc.Fields(p.first, p.end)
	var missing []string
	for _, label := range figureLabels {
		if !slices.ContainsFunc(fields, func(f document.Field) bool { return strings.EqualFold(f.Label, label) }) {
			missing = append(missing, label)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []finding.Finding{ruleLabels.At(path, p.first+1, "the section lacks: %s", strings.Join(missing, ", "))}
}

func (s *Summary) checkCounts(path string, r *Register) []finding.Finding {
	var all []finding.Finding
	rows := newCounter(r)
	s.eachSlot(func(n slot) {
		if right, is := rows.check(n); !right {
			all = append(all, ruleCount.At(path, n.line+1, "%s: %d, where the register has %d", finding.Shown(strings.ReplaceAll(n.label, "*", "")), n.value, is))
		}
	})
	return all
}

// checkListed compares the rows that are listed with those of the register.
func (s *Summary) checkListed(path string, r *Register) []finding.Finding {
	ids := make(map[string]bool, len(r.rows))
	for i := range r.rows {
		ids[r.Row(i).ID()] = true
	}
	listed := map[string]bool{}
	var all []finding.Finding
	for _, t := range s.listings() {
		at := columnIn(&t, DependencyID)
		for _, row := range t.Rows {
			id := idIn(row, at)
			if id == "" || listed[id] {
				continue
			}
			listed[id] = true
			if !ids[id] {
				all = append(all, ruleListedUnknown.At(path, row.Line+1, "the register has no %s", finding.Shown(id)).Of(id))
			}
		}
	}
	if len(listed) == 0 {
		return all
	}
	var missing []string
	line := 0
	for i := range r.rows {
		if row := r.Row(i); row.Active() && row.ID() != "" && !listed[row.ID()] {
			missing = append(missing, finding.Shown(row.ID()))
		}
	}
	if len(missing) == 0 {
		return all
	}
	if p, ok := s.part(sectionRegister); ok {
		line = p.first + 1
	}
	return append(all, ruleNotListed.At(path, line, "not listed: %s", someOf(missing)))
}

// someOf names the first of many.
func someOf(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		return strings.Join(names[:maxNamed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// listings are the tables of the register's section that list rows.
func (s *Summary) listings() []document.Table {
	p, ok := s.part(sectionRegister)
	if !ok {
		return nil
	}
	var all []document.Table
	for _, t := range s.doc.Tables(p.first, p.end) {
		if columnIn(&t, DependencyID) >= 0 && len(all) < maxLists {
			all = append(all, t)
		}
	}
	return all
}

// idIn is the id that a row of a list names in a column, "" for none.
func idIn(row document.Row, column int) string {
	if column >= len(row.Cells) {
		return ""
	}
	return strings.Trim(row.Cells[column], "*` ")
}
