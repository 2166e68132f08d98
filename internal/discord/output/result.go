package output

import (
	"slices"
	"strings"
)

// Result is a message as Discord returned it. It may differ from what was sent: a
// nonce that Discord knows gives the message of an earlier attempt.
type Result struct {
	ID    string
	Text  string
	Files int
}

// Sent reports that op succeeded. The result counts for new messages only.
func (a *Answer) Sent(op Op, got Result) {
	switch op.Kind {
	case Create:
		files := min(got.Files, len(op.Files))
		m := message{Message: Message{Key: op.Key, ID: got.ID}, shown: op.Text, stale: got.Text != op.Text}
		for _, f := range op.Files[:files] {
			m.Files = append(m.Files, f.Key)
		}
		a.take(op.Files[:files])
		a.add(m)
	case Edit:
		if i := a.find(op.ID); i >= 0 {
			a.texts[i].shown, a.texts[i].stale = op.Text, false
		}
	case Delete:
		a.texts = slices.DeleteFunc(a.texts, func(m message) bool { return m.ID == op.ID })
	}
}

// take removes files from those that wait.
func (a *Answer) take(files []File) {
	a.pending = slices.DeleteFunc(a.pending, func(u upload) bool { return slices.Contains(files, u.File) })
}

func (a *Answer) find(id string) int {
	return slices.IndexFunc(a.texts, func(m message) bool { return m.ID == id })
}

// Failure says what Discord did not take.
type Failure int

// The failures. Those that may pass are repeated by the caller, not reported.
const (
	// Refused: this message, as it is.
	Refused Failure = iota
	// Gone: the message to edit does not exist any more.
	Gone
	// Lost: nothing can be written in this channel.
	Lost
)

// unsent begins the line that stands for a part of the text which Discord does not take.
const unsent = "*A part of this answer could not be sent: "

// Failed reports that op cannot succeed. Reason is for people.
func (a *Answer) Failed(op Op, why Failure, reason string) {
	switch {
	case why == Lost:
		a.dead = true
	case op.Kind == Create && len(op.Files) == 0:
		if a.refused[op.Key] != "" {
			a.dead = true // not even the line is taken
			return
		}
		a.refused[op.Key] = unsent + reason + "*"
	case op.Kind != Create:
		if i := a.find(op.ID); i >= 0 {
			a.keeps(i, op, why, reason)
		}
	case len(op.Files) == 1:
		a.take(op.Files)
		a.notes = append(a.notes, code(op.Files[0].Name)+" could not be sent: "+reason)
	default:
		for i := range a.pending {
			if slices.Contains(op.Files, a.pending[i].File) {
				a.pending[i].alone = true
			}
		}
	}
}

// keeps notes that a message of text stays as it is.
func (a *Answer) keeps(i int, op Op, why Failure, reason string) {
	m := &a.texts[i]
	switch {
	case why == Gone || op.Kind == Delete:
		m.gone = true
		return
	case !a.ended:
		m.refused = op.Text
		return
	}
	m.fixed = true
	if op.Text == "" || strings.HasPrefix(m.shown, unsent) {
		return // no text is missing, or the message says so
	}
	if !a.unchanged {
		a.unchanged = true
		a.notes = append(a.notes, "*A part of this answer could not be shown: "+reason+"*")
	}
	if !a.apart && i == len(a.want())-1 {
		a.apart = true // the notes cannot stand in it, nor in a message that is none of the text
		a.lanes = append(a.lanes, lane{len(a.text), m.ID})
	}
}
