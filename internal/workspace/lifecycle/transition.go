package lifecycle

import (
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/document"
)

// Result is a file after a transition.
type Result struct {
	// Data is the whole file, Status what it says.
	Data   []byte
	Status *Status
	From   State
	To     State
	// Actor is as it was written, Approval the commit that was given, "" where the
	// transition needs none.
	Actor, Approval string
	Date            string
}

// Transition makes a transition in a file's text. It changes the lines of the
// state, the date of the last update, approval and metadata, and adds an entry to
// the history, in the form and at the end where the file has its newest one;
// every other byte stays as it is. What it returns was read again, and says what
// was asked for.
//
// It fails, in this order, with INVALID_REQUEST, INVALID_STATUS_FORMAT,
// INVALID_STATE, BACKWARD_TRANSITION, TRANSITION_NOT_ALLOWED, UNAUTHORIZED_ACTOR,
// APPROVAL_SHA_REQUIRED, INVALID_APPROVAL_SHA or INVALID_DATE. Whether the commit
// exists is the caller's to find out.
func Transition(data []byte, r Request) (Result, error) {
	r.Actor, r.Note = strings.TrimSpace(r.Actor), strings.TrimSpace(r.Note)
	if err := fault.Invalid(r.Problems()); err != nil {
		return Result{}, err
	}
	s := Parse(data)
	found, err := r.judge(s)
	if err != nil {
		return Result{}, err
	}
	date, err := r.date(s)
	if err != nil {
		return Result{}, err
	}
	done := Result{From: found.From, To: found.To, Actor: r.Actor, Date: date}
	fields := []Field{}
	if found.Approval != "" {
		done.Approval = strings.TrimSpace(r.ApprovalSHA)
		fields = append(fields, Field{Key: found.Approval, Value: done.Approval})
	}
	for _, m := range r.Metadata {
		if v := strings.TrimSpace(m.Value); v != "" {
			fields = append(fields, Field{Key: labelOf(m.Key), Value: v})
		}
	}
	want := Entry{Date: date, From: string(found.From), State: string(found.To), Actor: r.Actor, Notes: r.Note}
	places, err := s.places(want)
	if err != nil {
		return Result{}, err
	}
	header := s.headerEdits(string(found.To), date, fields)
	for _, p := range places {
		doc := document.Parse(data)
		for _, e := range slices.Backward(sorted(append(slices.Clone(header), p))) {
			e.apply(doc)
		}
		done.Data = doc.Bytes()
		if done.Status = Parse(done.Data); done.Status.follows(s, want, fields) {
			return done, nil
		}
	}
	const why = "the history cannot be added to without reading differently afterwards"
	return Result{}, fault.New(fault.InvalidStatusFormat, "_STATUS.md cannot be edited: %s", why).With("parseDetails", why).
		WithHint("a person puts the history of _STATUS.md in order first: one list or table, sorted by date")
}

// follows reports whether the status is the one before with the transition made:
// the state, the date, the fields, the new entry as the newest, and all entries
// that were there before, as they were.
func (s *Status) follows(before *Status, want Entry, fields []Field) bool {
	entries := s.history.entries
	if s.CurrentState != want.State || s.LastUpdated != want.Date || len(entries) != len(before.history.entries)+1 {
		return false
	}
	ordered := chronological(entries)
	newest := ordered[len(ordered)-1]
	if newest.Date != want.Date || newest.State != want.State || newest.Actor != want.Actor || newest.Notes != want.Notes {
		return false
	}
	at := slices.IndexFunc(entries, func(e Entry) bool { return e.line == newest.line })
	rest := slices.Delete(slices.Clone(entries), at, at+1)
	if !slices.EqualFunc(rest, before.history.entries, func(a, b Entry) bool { a.line, b.line = 0, 0; return a == b }) {
		return false
	}
	for _, f := range fields {
		if got := labelled(s.fields, []string{f.Key}); got == nil || got.Value != f.Value {
			return false
		}
	}
	return true
}
