package register

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Project is what a register's rows refer to.
type Project interface {
	// Has reports whether the project has a deliverable of that id.
	Has(id string) bool
	// State is how far a deliverable is, "IN_PROGRESS", "" when that is not known.
	State(id string) string
	// Package is the id of the package whose folder holds a deliverable, "" when that
	// is not known.
	Package(id string) string
}

// states are those of the lifecycle, in order (workspace 3.2).
var states = []string{"OPEN", "INITIALIZED", "SEMANTIC_READY", "IN_PROGRESS", "CHECKING", "ISSUED"}

// CheckProject compares the register with the rest of the project: whether the
// deliverables exist that ACTIVE rows are about, and whether those that are said to
// be satisfied have got so far. Today, YYYY-MM-DD, is the day in UTC; a date may be a day
// later, as it is tomorrow somewhere. "" judges no date.
func (r *Register) CheckProject(path string, p Project, today string) []finding.Finding {
	var all []finding.Finding
	latest := dayAfter(today)
	for i := range r.rows {
		row := r.Row(i)
		line := int(r.records[row.record].line)
		for _, c := range []Column{FirstSeen, LastSeen} {
			if day := strings.TrimSpace(row.Raw(c)); latest != "" && day > latest && isDate(day) {
				all = append(all, ruleFuture.At(path, line, "%s is %s, and today is %s", c, day, today).In(row.Number(), c.String()).Of(day))
			}
		}
		if f, ok := row.checkTarget(path, p); ok {
			all = append(all, f)
		}
		if f, ok := row.checkTargetPackage(path, p); ok {
			all = append(all, f)
		}
		if len(all) > maxFindings {
			break
		}
	}
	return all
}

// dayAfter is the day after one, "" for none.
func dayAfter(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, 1).Format(time.DateOnly)
}

// checkTargetPackage compares the package of a target with the one that holds it: the
// numbers of the two ids need not be the same.
func (w Row) checkTargetPackage(path string, p Project) (finding.Finding, bool) {
	if w.Value(TargetType) != targetDeliverable {
		return finding.Finding{}, false
	}
	pkg, target := strings.TrimSpace(w.Raw(TargetPackageID)), layout.ParseName(strings.TrimSpace(w.Raw(TargetDeliverableID)))
	holds := p.Package(target.ID)
	if pkg == "" || holds == "" || layout.Number(pkg) == layout.Number(holds) {
		return finding.Finding{}, false
	}
	return ruleTargetPackage.At(path, int(w.r.records[w.record].line), "%s is not the package of %s, which is in %s", finding.Shown(pkg), target.ID, holds).
		In(w.Number(), TargetPackageID.String()).Of(pkg).WithFix("write %s, or correct TargetDeliverableID", holds), true
}

// CheckName compares the names that rows give their own deliverable with what it is
// called: by its folder, or by the Name in its _CONTEXT.md, which context returns
// where it is needed, nil for none. Only letters and digits count, and what is in
// brackets at the end may be left out.
func (r *Register) CheckName(path, folder string, context func() []byte) []finding.Finding {
	var all []finding.Finding
	label, name, asked := plainName(layout.ParseName(folder).Label), "", false
	seen := map[string]bool{}
	for i := range r.rows {
		row := r.Row(i)
		given := strings.TrimSpace(row.Raw(FromDeliverableName))
		if given == "" || seen[given] {
			continue
		}
		seen[given] = true
		if plainName(given) == label || len(seen) > maxNamed {
			continue
		}
		if !asked {
			name, asked = contextName(context()), true
		}
		short, _, _ := strings.Cut(name, "(")
		if name == "" || plainName(given) == plainName(name) || plainName(given) == plainName(short) {
			continue
		}
		all = append(all, ruleFromName.At(path, int(r.records[row.record].line), "%s, and the deliverable is called %s", finding.Shown(given), finding.Shown(name)).
			In(row.Number(), FromDeliverableName.String()).Of(given).WithFix("write %s", finding.Shown(name)))
	}
	return all
}

// contextName is the name that a _CONTEXT.md gives a deliverable, "" for none.
func contextName(data []byte) string {
	if data == nil {
		return ""
	}
	f, _ := document.Parse(data).Field("Name", "Deliverable Name")
	return strings.Trim(f.Value, "` ")
}

// plainName are the letters and digits of a name.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, strings.ReplaceAll(name, "&", "and"))
}

// checkTarget judges the deliverable that an ACTIVE row is about.
func (w Row) checkTarget(path string, p Project) (finding.Finding, bool) {
	if w.Value(TargetType) != targetDeliverable || !w.Active() {
		return finding.Finding{}, false
	}
	target := layout.ParseName(strings.TrimSpace(w.Raw(TargetDeliverableID)))
	line := int(w.r.records[w.record].line)
	switch {
	case target.Kind != layout.Deliverable:
		return finding.Finding{}, false
	case !p.Has(target.ID):
		return ruleTargetUnknown.At(path, line, "the project has no %s", target.ID).
			In(w.Number(), TargetDeliverableID.String()).Of(w.Raw(TargetDeliverableID)), true
	}
	needed := slices.Index(states, strings.ToUpper(strings.TrimSpace(w.Raw(RequiredMaturity))))
	if needed < 0 || w.Value(Satisfaction) != satisfied || w.Value(Direction) != upstream {
		return finding.Finding{}, false
	}
	if is := slices.Index(states, p.State(target.ID)); is < 0 || is >= needed {
		return finding.Finding{}, false
	}
	return ruleTooEarly.At(path, line, "%s is %s, and has to be %s", target.ID, p.State(target.ID), states[needed]).
		In(w.Number(), Satisfaction.String()).Of(satisfied), true
}
