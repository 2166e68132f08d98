package lifecycle

import (
	"slices"
	"strconv"
	"strings"

	"belay/internal/workspace/document"
	"belay/internal/workspace/layout"
)

// Status is what a _STATUS.md says. Its exported part is the compatible
// contract's wire form. It keeps the text that it was read from and is not
// changed by anybody.
type Status struct {
	// Title is the text of the first top heading, "" where there is none.
	Title string `json:"title"`
	// CurrentState is one of the lifecycle's states, or, in capitals, whatever
	// is there instead.
	CurrentState string `json:"currentState"`
	// LastUpdated is a date, or what is there instead; "" where it is missing.
	LastUpdated string `json:"lastUpdated"`
	// History has an entry for each line or row that names a state, in the file's
	// order.
	History []Entry `json:"history"`
	// ExtraFields are the other labelled lines, in the file's order.
	ExtraFields []Field `json:"extraFields"`

	doc *document.Document
	// state and updated are the lines of those fields, nil where there is none.
	state, updated *document.Field
	// fields are all labelled lines outside code.
	fields []document.Field
	// title is the heading's line, -1 where there is none.
	title   int
	history history
}

// Entry is a line or row of the history that names a state.
type Entry struct {
	// Date is YYYY-MM-DD, or what is there instead.
	Date string `json:"date"`
	// State is one of the lifecycle's states, or what is there, in capitals.
	State string `json:"state"`
	// Actor is as it is written.
	Actor string `json:"actor"`
	// Source is "list" or "table".
	Source string `json:"source"`
	// From is the state before, where the entry names one.
	From  string `json:"fromState,omitempty"`
	Notes string `json:"notes,omitempty"`
	// Raw is the line as it is written; of an item with several lines all of them.
	Raw string `json:"raw"`

	line int // from 0
}

// Field is a labelled line, "**Label:** value".
type Field struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// The labels of the two fields that every file has, the specification's first.
var (
	stateLabels   = []string{"Current State", "Lifecycle State", "State", "Status"}
	updatedLabels = []string{"Last Updated", "Updated", "Last Update"}
)

// maxShown caps what a state is quoted with when it is none of the lifecycle's.
const maxShown = 100

// Parse reads a file. Any bytes can be read; [Status.Readable] says whether they
// say in which state the deliverable is.
func Parse(data []byte) *Status {
	s := &Status{doc: document.Parse(data), title: -1, History: []Entry{}, ExtraFields: []Field{}}
	sections := s.doc.Sections()
	for _, h := range sections {
		if h.Level == 1 && h.Text != "" {
			s.Title, s.title = h.Text, h.Line
			break
		}
	}
	s.fields = s.doc.Fields(0, s.doc.Len())
	if s.state = labelled(s.fields, stateLabels); s.state != nil {
		state, _ := stateOf(s.state.Value)
		s.CurrentState = string(state)
	}
	if s.updated = labelled(s.fields, updatedLabels); s.updated != nil {
		s.LastUpdated, _ = dateOf(s.updated.Value)
	}
	for _, f := range s.fields {
		if strings.HasPrefix(s.doc.Line(f.Line), "**") && !same(f.Label, stateLabels[0]) && !same(f.Label, updatedLabels[0]) && !is(s.state, f) && !is(s.updated, f) {
			s.ExtraFields = append(s.ExtraFields, Field{Key: f.Label, Value: f.Value})
		}
	}
	s.history = readHistory(s.doc, sections)
	s.History = append(s.History, s.history.entries...)
	return s
}

// Quick reads the state alone, as [Parse] does, "" where the file has none: for
// anyone who lists thousands. An unknown state is what is there, in capitals.
func Quick(data []byte) State {
	doc := document.Parse(data)
	for _, label := range stateLabels {
		if f, ok := doc.Field(label); ok {
			state, _ := stateOf(f.Value)
			return state
		}
	}
	return ""
}

// State is the state that the deliverable is in; it need not be Known.
func (s *Status) State() State { return State(s.CurrentState) }

// Bytes is the file's content, as it was read.
func (s *Status) Bytes() []byte { return s.doc.Bytes() }

// Readable reports whether the file says in which state the deliverable is. Where
// it does not, why says what is missing.
func (s *Status) Readable() (why string, ok bool) {
	switch {
	case s.state == nil && !s.doc.Valid():
		return "the file is not UTF-8 text, or holds NUL bytes", false
	case s.state == nil:
		return "there is no line **Current State:**", false
	case s.CurrentState == "":
		return "the line **Current State:** is empty", false
	}
	return "", true
}

// stateLines are the numbers of the lines, from 1, that name the current state under the
// label that counts.
func (s *Status) stateLines() (lines []int) {
	for _, f := range s.fields {
		if s.state != nil && same(f.Label, s.state.Label) {
			lines = append(lines, f.Line+1)
		}
	}
	return lines
}

// maxListed is how many lines an error names.
const maxListed = 10

func listed(lines []int) string {
	all := make([]string, min(len(lines), maxListed))
	for i := range all {
		all[i] = strconv.Itoa(lines[i])
	}
	if len(lines) > maxListed {
		return strings.Join(all, ", ") + " and more"
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// labelled returns the first field with the first of the labels that any has.
func labelled(fields []document.Field, labels []string) *document.Field {
	for _, l := range labels {
		if i := slices.IndexFunc(fields, func(f document.Field) bool { return same(f.Label, l) }); i >= 0 {
			return &fields[i]
		}
	}
	return nil
}

func same(a, b string) bool { return strings.EqualFold(a, b) }

func is(f *document.Field, other document.Field) bool { return f != nil && f.Line == other.Line }

// stateOf reads the state that a text begins with, and reports whether the text is
// nothing but that state, written as the specification does. A text that begins
// with none is returned in capitals.
func stateOf(text string) (s State, exact bool) {
	if s := State(text); s.Known() {
		return s, true
	}
	bare := strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "`*_\"'"))
	upper := strings.ToUpper(bare)
	for _, s := range states {
		rest, ok := cutState(upper, string(s))
		if ok && (rest == "" || !wordAhead(rest)) {
			return s, false
		}
	}
	if len(upper) > maxShown {
		upper = strings.ToValidUTF8(upper[:maxShown], "") + "…"
	}
	return State(upper), false
}

// cutState takes a state off the front of a text in capitals, whose words may be
// joined by an underline, a hyphen or a blank.
func cutState(text, state string) (rest string, ok bool) {
	for i := range len(state) {
		if i == len(text) || text[i] != state[i] && (state[i] != '_' || text[i] != '-' && text[i] != ' ') {
			return "", false
		}
	}
	return text[len(state):], true
}

// wordAhead reports whether a text goes on with a word: then what stands before
// it is a part of a longer name, such as ISSUED FOR CONSTRUCTION.
func wordAhead(rest string) bool {
	trimmed := strings.TrimLeft(rest, " \t")
	if trimmed == "" {
		return false
	}
	c := trimmed[0]
	return c == '_' || c >= 0x80 && len(trimmed) == len(rest) || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' ||
		c == '-' && len(trimmed) == len(rest)
}

// header are the lines first ≤ line < end around the state in which the fields of
// the whole file are: between the heading before it and the one after it.
func (s *Status) header() (first, end int) {
	end = s.doc.Len()
	for _, h := range s.doc.Headings() {
		if h.Line < s.state.Line {
			first = h.Line + 1
		} else {
			return first, h.Line
		}
	}
	return first, end
}

// historyNames are the headings of a history.
var historyNames = document.Names(layout.StatusFile, "History")
