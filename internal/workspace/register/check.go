package register

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Problem is why a row cannot be written.
type Problem struct {
	// Type is the error of the compatible contract that it is.
	Type fault.Type `json:"code"`
	// Row is the row of the request, from 0, or the record of the proposal; ID its
	// DependencyID.
	Row     int    `json:"row"`
	ID      string `json:"dependencyId,omitempty"`
	Column  string `json:"column,omitempty"`
	Message string `json:"message"`
	// hint is the next step, "" for that of the type, which may be about other commands.
	hint string
}

// maxProblems bounds how many are reported at once.
const maxProblems = 100

// enoughProblems is when a row is not looked at anymore.
const enoughProblems = 10 * maxProblems

// refuse turns problems into an error: its type and message are those of the
// first, its details list them all. It returns nil for none.
func (k *checker) refuse() *fault.Error {
	problems := k.problems
	if len(problems) == 0 {
		return nil
	}
	first := problems[0]
	e := fault.New(first.Type, k.rowName+"%s: %s", first.Row, named(first.ID), first.Message).WithHint("%s", first.hint)
	if more := len(problems) - 1; more > 0 {
		e.Message += fmt.Sprintf(" (and %d more problems)", more)
	}
	return e.With("rowProblems", problems[:min(len(problems), maxProblems)])
}

func named(id string) string {
	if id == "" {
		return ""
	}
	return " (" + finding.Shown(id) + ")"
}

// checker checks the rows of a draft that are new or change by the rules of the
// writer: those of the compatible contract (8.3) in its order, then those that it
// lacks. What was wrong with the other rows already is for [Register.Lint] to say.
type checker struct {
	d    *draft
	host string // the id of the deliverable, "" when it is not known
	// lenient also leaves alone what is wrong already with rows that change.
	lenient bool
	// rowName is how messages name a row by its number; number is that of a row of
	// the draft, nil for its own.
	rowName  string
	number   func(int) int
	problems []Problem
	seen     map[string]int

	row *draftRow
	at  int
}

func (k *checker) add(t fault.Type, c Column, format string, args ...any) {
	name := ""
	if c < numColumns {
		name = c.String()
	}
	k.problems = append(k.problems, Problem{
		Type: t, Row: k.numberOf(k.at), ID: finding.Shown(strings.TrimSpace(k.d.get(k.row, DependencyID))), Column: name, Message: fmt.Sprintf(format, args...),
	})
}

// next says the next step for the problem that was added last.
func (k *checker) next(format string, args ...any) {
	k.problems[len(k.problems)-1].hint = fmt.Sprintf(format, args...)
}

func (k *checker) numberOf(i int) int {
	if k.number == nil {
		return i
	}
	return k.number(i)
}

func (k *checker) get(c Column) string { return k.d.get(k.row, c) }

// rows checks the rows of the draft.
func (k *checker) rows() {
	k.seen = make(map[string]int, len(k.d.rows))
	for i := range k.d.rows {
		if len(k.problems) > enoughProblems {
			return
		}
		k.row, k.at = &k.d.rows[i], i
		id := strings.TrimSpace(k.get(DependencyID))
		if first, twice := k.seen[id]; !twice {
			k.seen[id] = i
		} else if id != "" && (k.row.from < 0 || k.row.changed && !k.lenient) {
			k.add(fault.DuplicateDependencyID, DependencyID, "%s is the DependencyID of "+k.rowName+", too", finding.Shown(id), k.numberOf(first))
		}
		switch {
		case !k.row.changed:
		case k.lenient && k.row.from >= 0:
			k.worse()
		default:
			k.contract()
			k.stricter()
		}
	}
}

// oldIDs reports whether a row that changes keeps an id that was invalid before.
func (k *checker) oldIDs() bool {
	for i := range k.d.rows {
		row := &k.d.rows[i]
		if row.from < 0 || !row.changed {
			continue
		}
		before := k.d.base.Row(row.from)
		for c, valid := range validIDs {
			if id := strings.TrimSpace(k.d.get(row, c)); id != "" && !valid(id) && id == strings.TrimSpace(before.Raw(c)) {
				return true
			}
		}
	}
	return false
}

// validIDs are the columns of ids, each with what an id in it has to be.
var validIDs = map[Column]func(string) bool{
	DependencyID: isDependencyID, FromDeliverableID: layout.IsDeliverableID, TargetDeliverableID: layout.IsDeliverableID,
}

// worse checks a row that changes and keeps what was not wrong with it before: a
// register that was never right can still be kept up to date.
func (k *checker) worse() {
	was := checker{d: k.d, host: k.host, number: k.number, at: k.at, row: &draftRow{from: k.row.from, cells: k.d.before(k.row.from), changed: true}}
	is := was
	is.row = k.row
	for _, c := range []*checker{&was, &is} {
		c.contract()
		c.stricter()
	}
	for _, p := range is.problems {
		if !slices.Contains(was.problems, p) {
			k.problems = append(k.problems, p)
		}
	}
}

// contract applies the rules of the compatible contract to one row.
func (k *checker) contract() {
	if v := k.get(SchemaVersion); v != Version {
		k.add(fault.InvalidSchema, SchemaVersion, "the row is of schema %s, not %s", finding.Shown(v), Version)
		k.next("write %s into %s", Version, SchemaVersion)
	}
	for _, c := range required[1:] {
		if strings.TrimSpace(k.get(c)) == "" {
			k.add(missing(c), c, "%s is required%s", c, choices(c))
			k.next("fill in %s", c)
		}
	}
	if id := k.get(DependencyID); strings.TrimSpace(id) != "" && !isDependencyID(id) {
		k.add(fault.InvalidIdentity, DependencyID, "%s is not a DependencyID like DEP-01-02-003", finding.Shown(id))
	}
	if from := k.get(FromDeliverableID); strings.TrimSpace(from) != "" {
		if !layout.IsDeliverableID(from) {
			k.add(fault.InvalidIdentity, FromDeliverableID, "%s is not the id of a deliverable, like DEL-01-02", finding.Shown(from))
		} else if k.host != "" && from != k.host {
			k.add(fault.InvalidIdentity, FromDeliverableID, "FromDeliverableID is %s in the register of %s", from, k.host)
			k.next("write %s, or give the row to the register of %s", k.host, from)
		}
	}
	for _, c := range []Column{FirstSeen, LastSeen} {
		if day := k.get(c); strings.TrimSpace(day) != "" && !hasDateShape(day) {
			k.add(fault.InvalidDate, c, "%s of %s is not a day like 2026-01-31", finding.Shown(day), c)
			k.next("write the day as YYYY-MM-DD")
		}
	}
	for c := range numCore {
		if e, word := enumerations[c], k.get(c); e != nil && word != "" && !e.has(word) {
			k.add(fault.InvalidEnum, c, "%s takes no %s%s", c, finding.Shown(word), choices(c))
		}
	}
	k.class()
	k.target()
	if k.get(Status) == statusActive {
		for _, c := range []Column{EvidenceFile, SourceRef} {
			if strings.TrimSpace(k.get(c)) == "" {
				k.add(fault.InvalidProvenance, c, "an ACTIVE row needs %s, or %q", c, locationTBD)
			}
		}
	}
}

// choices are the words that a column takes, as a part of a sentence.
func choices(c Column) string {
	if e := enumerations[c]; e != nil {
		return "; it is one of " + strings.Join(e.words, ", ")
	}
	return ""
}

func (k *checker) class() {
	anchor, kind := k.get(AnchorType), k.get(Type)
	switch k.get(Class) {
	case classAnchor:
		if anchor == notApplicable {
			k.add(fault.InvalidClassification, AnchorType, "an ANCHOR row cannot be %s", notApplicable)
		}
		if kind != typeOther && kind != "" {
			k.add(fault.InvalidClassification, Type, "the DependencyType of an ANCHOR row is OTHER, not %s", finding.Shown(kind))
		}
	case classExecution:
		if anchor != notApplicable && anchor != "" {
			k.add(fault.InvalidClassification, AnchorType, "the AnchorType of an EXECUTION row is %s, not %s", notApplicable, finding.Shown(anchor))
		}
	}
}

func (k *checker) target() {
	id := strings.TrimSpace(k.get(TargetDeliverableID))
	switch kind := k.get(TargetType); {
	case kind == "":
	case kind == targetDeliverable && id == "":
		k.add(fault.InvalidTarget, TargetDeliverableID, "a target of type DELIVERABLE needs TargetDeliverableID")
	case kind != targetDeliverable && id != "":
		k.add(fault.InvalidTarget, TargetDeliverableID, "a target of type %s has no TargetDeliverableID; name it in TargetRefID and TargetName", finding.Shown(kind))
	}
}
