package render

import (
	"path"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/quantity"
)

// Model is a model's name for people, who must not take the built-in provider for one.
func Model(name string) string {
	if name == model.Scripted {
		return name + " (offline)"
	}
	return name
}

// Answers names the model that answers in a turn, and the one that was asked for where that is
// another. A damaged record may not have that one.
func Answers(d *event.Init) string {
	switch {
	case d.AnsweredBy == "":
		return Model(d.Model)
	case d.Model == "":
		return Model(d.AnsweredBy)
	}
	return Model(d.AnsweredBy) + ", in place of " + d.Model
}

// Verdict is how a question ended: the decision, who made it, and the note.
func Verdict(v *event.Verdict) string {
	verdict := permit.Verdict(v.Verdict)
	words := "denied"
	if (permit.Decision{Verdict: verdict}).Allowed() {
		words = "allowed"
	}
	if verdict == permit.VerdictAllowSession {
		words += " for the session"
	}
	if v.By != "" {
		words += " by " + Line(v.By)
	}
	if v.Note != "" {
		words += ": " + Line(v.Note)
	}
	return words
}

// Subagent is what an event of type t says of a subagent: that it begins, or how it ended.
func Subagent(t event.Type, d *event.Subagent) (words string, failed bool) {
	name := Line(d.Persona)
	switch {
	case t == event.SubagentStart:
		return name + " begins", false
	case d.OK != nil && *d.OK:
		return name + " is done", false
	}
	return name + " did not finish", true
}

// Sent names a file that an agent sends to people, with its path where the name does not
// say all of it.
func Sent(f event.SentFile) string {
	text := Line(f.Filename) + " (" + Line(f.MIMEType) + ", " + quantity.Size(f.Bytes) + ")"
	if f.Path != "" && path.Clean(f.Path) != f.Filename {
		text += " from " + Line(f.Path)
	}
	return text
}
