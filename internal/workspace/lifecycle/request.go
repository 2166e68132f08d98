package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
)

// Request asks for a transition. Its texts come from outside.
type Request struct {
	// To is the state to go to, in any case.
	To string
	// Actor is who makes the transition, as it will be written.
	Actor string
	// ApprovalSHA is the commit that a person approved, 7 to 64 hex digits. It is
	// needed for reviews and releases, and ignored otherwise.
	ApprovalSHA string
	// Date is YYYY-MM-DD; "" is today, in UTC.
	Date string
	// Note is written beside the entry.
	Note string
	// Metadata become labelled lines of the file, in this order. A key is a name
	// such as reviewedBy, which becomes Reviewed By; blank values are left out.
	Metadata []Field
	// Now is when it is asked.
	Now time.Time
}

// Limits of a request's texts, in bytes.
const (
	maxActor    = 100
	maxNote     = 2000
	maxKey      = 64
	maxMetadata = 20
)

var (
	keyForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9 _-]*$`)
	shaForm = lazyregexp.New(`^[0-9A-Fa-f]{7,64}$`)
)

// Problems lists what is wrong with the request's texts, whatever the file says:
// what could not stand in a line of it, or would pretend to be another.
func (r Request) Problems() []fault.Problem {
	var all []fault.Problem
	bad := func(field, message string) { all = append(all, fault.Problem{Field: field, Message: message}) }
	text := func(field, s string, most int) {
		switch why := plain(s); {
		case why != "":
			bad(field, why)
		case !utf8.ValidString(s):
			bad(field, "must be UTF-8")
		case len(s) > most:
			bad(field, fmt.Sprintf("must not be longer than %d bytes", most))
		}
	}
	text("actor", r.Actor, maxActor)
	text("note", r.Note, maxNote)
	if strings.ContainsAny(r.Note, "[]") {
		bad("note", "must not hold square brackets, which enclose it in the file")
	}
	if len(r.Metadata) > maxMetadata {
		bad("metadata", fmt.Sprintf("must not have more than %d entries", maxMetadata))
	}
	var labels []string
	for _, m := range r.Metadata[:min(len(r.Metadata), maxMetadata)] {
		label := labelOf(m.Key)
		switch {
		case len(m.Key) > maxKey || !keyForm.MatchString(m.Key) || label == "":
			bad("metadata", fmt.Sprintf("must have keys of letters, digits and - _, at most %d; %q is none", maxKey, fault.Clip(m.Key)))
		case reserved(label):
			bad("metadata."+m.Key, "would write **"+label+":**, which only the transition itself does; approvals are given as approvalSha")
		case slices.ContainsFunc(labels, func(l string) bool { return same(l, label) }):
			bad("metadata."+m.Key, "is there twice")
		default:
			text("metadata."+m.Key, m.Value, maxNote)
		}
		labels = append(labels, label)
	}
	return all
}

// reserved reports whether a label says what only a transition may.
func reserved(label string) bool {
	return slices.ContainsFunc(slices.Concat(stateLabels, updatedLabels, []string{"Deliverable ID"}), func(l string) bool { return same(l, label) }) ||
		strings.HasSuffix(strings.ToLower(label), strings.ToLower(labelIssued))
}

// labelOf is the label for a metadata key: its words, in capitals, as hyphens,
// underlines, blanks and inner capitals part them.
func labelOf(key string) string {
	var b strings.Builder
	var before rune
	for _, c := range key {
		if unicode.IsUpper(c) && (unicode.IsLower(before) || unicode.IsDigit(before)) || c == '_' || c == '-' {
			b.WriteByte(' ')
		}
		if c != '_' && c != '-' {
			b.WriteRune(c)
		}
		before = c
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		if words[i] = strings.ToUpper(w[:1]) + w[1:]; same(w, "sha") {
			words[i] = "SHA"
		}
	}
	return strings.Join(words, " ")
}

// judge checks the request against a file's state and the table of transitions,
// in the contract's order, and returns the transition.
func (r Request) judge(s *Status) (Rule, error) {
	if why, ok := s.Readable(); !ok {
		return Rule{}, fault.New(fault.InvalidStatusFormat, "_STATUS.md cannot be read: %s", why).With("parseDetails", why)
	}
	if line := s.doc.Conflict(); line > 0 {
		why := fmt.Sprintf("it has a conflict of a merge that nobody has resolved, from line %d on", line)
		return Rule{}, fault.New(fault.InvalidStatusFormat, "_STATUS.md cannot be edited safely: %s", why).With("parseDetails", why).
			WithHint("a person resolves the conflict first")
	}
	if lines := s.stateLines(); len(lines) > 1 {
		// The transition would change the first and leave a file that contradicts itself.
		why := fmt.Sprintf("the line **%s:** is there more than once, in the lines %s", s.state.Label, listed(lines))
		return Rule{}, fault.New(fault.InvalidStatusFormat, "_STATUS.md cannot be edited safely: %s", why).With("parseDetails", why).
			WithHint("a person removes all of these lines of _STATUS.md but the one with the state that is right")
	}
	from := s.State()
	to, known := ParseState(r.To)
	refuse := func(t fault.Type, format string, args ...any) *fault.Error {
		return fault.New(t, format, args...).With("from", from).With("to", to)
	}
	switch {
	case !known:
		return Rule{}, refuse(fault.InvalidState, "%q is none of the lifecycle's states", fault.Clip(r.To))
	case !from.Known():
		return Rule{}, refuse(fault.InvalidState, "the deliverable is in the state %q, which the lifecycle does not have, so no transition leads on", s.CurrentState).
			WithHint("a person corrects **Current State:** in _STATUS.md first")
	case to.rank() < from.rank():
		return Rule{}, refuse(fault.BackwardTransition, "%s is before %s", to, from)
	}
	found, ok := rule(from, to)
	if !ok {
		why := "no transition leads from %s to %s"
		if from == to {
			why = "the deliverable is in %s; a transition to %s is none"
		}
		refused := refuse(fault.TransitionNotAllowed, why, from, to).With("allowed", next(from))
		if len(next(from)) == 0 {
			return Rule{}, refused.WithHint("an issued deliverable stays as it is; what comes after it is a new one")
		}
		return Rule{}, refused.WithHint("go on to %s", join(next(from)))
	}
	switch {
	case !slices.Contains(found.Actors, Actor(r.Actor)):
		return Rule{}, refuse(fault.UnauthorizedActor, "%q may not go from %s to %s; %s may", fault.Clip(r.Actor), from, to, strings.Join(found.Actors, " or ")).
			With("actor", fault.Clip(r.Actor)).With("expected", found.Actors).WithHint("have %s do it", strings.Join(found.Actors, " or "))
	case found.Approval == "":
		return found, nil
	case strings.TrimSpace(r.ApprovalSHA) == "":
		return Rule{}, refuse(fault.ApprovalSHARequired, "going to %s needs the commit that was approved", to)
	case !shaForm.MatchString(strings.TrimSpace(r.ApprovalSHA)):
		return Rule{}, refuse(fault.InvalidApprovalSHA, "approvalSha must be 7 to 64 hex digits").WithHint("send the id of the commit that was approved")
	}
	return found, nil
}

func join(states []State) string {
	all := make([]string, len(states))
	for i, s := range states {
		all[i] = string(s)
	}
	return strings.Join(all, " or ")
}

// date is the transition's date, checked: one of the calendar, not before what
// the file has already, and not after tomorrow, since it is tomorrow somewhere.
func (r Request) date(s *Status) (string, error) {
	latest := s.latest()
	today := r.Now.UTC().Format(day)
	tomorrow := r.Now.UTC().AddDate(0, 0, 1).Format(day)
	date := strings.TrimSpace(r.Date)
	if date == "" {
		date = max(today, latest)
		if date <= tomorrow {
			return date, nil
		}
		return "", fault.New(fault.InvalidDate, "_STATUS.md has the date %s, and today is %s", latest, today).
			WithHint("a person corrects that date in _STATUS.md first; or set the clock of this machine")
	}
	wrong := func(hint, format string, args ...any) (string, error) {
		return "", fault.New(fault.InvalidDate, format, args...).With("date", fault.Clip(date)).With("latest", latest).WithHint("%s", hint)
	}
	switch {
	case !calendar(date):
		return wrong("send the date as YYYY-MM-DD, or none for today", "%.40q is no date of the calendar, written YYYY-MM-DD", date)
	case date < latest:
		return wrong("send that date or a later one, or none for today", "%s is before %s, the latest date in _STATUS.md", date, latest)
	case date > tomorrow:
		return wrong("send an earlier date, or none for today", "%s is in the future; today is %s", date, today)
	}
	return date, nil
}

// latest is the latest date that the file has, "" where it has none.
func (s *Status) latest() string {
	latest := ""
	if calendar(s.LastUpdated) {
		latest = s.LastUpdated
	}
	for _, e := range s.history.entries {
		latest = max(latest, dated(e))
	}
	return latest
}
