package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/permit"
)

// question is the payload of permission:request with its effect as what it is.
type question struct {
	event.Permission
	Effect permit.Effect `json:"effect"`
}

// request is the question in the form that the desk has it.
func (q *question) request(sessionID string) permit.Request {
	return permit.Request{
		ID: q.DecisionID, SessionID: sessionID, ToolCallID: q.ToolCallID, Persona: q.Persona, Agent: q.Persona,
		Effect: q.Effect, Input: q.Input, Reason: q.Reason, Expires: q.ExpiresAt, Session: q.Session,
	}
}

// act prints an event of what the agent does, and of what people say to it.
func (w *watcher) act(ctx context.Context, t event.Type, payload any) {
	switch d := payload.(type) {
	case *event.ToolUse:
		w.c.note("calls", inside(d.ParentToolCallID)+line(d.Name)+" "+gist(d.Input))
	case *event.ToolOutcome:
		w.c.note("result", inside(d.ParentToolCallID)+result(d))
	case *question:
		w.asked(ctx, d.request(w.session))
	case *event.Verdict:
		w.asker.settled(d.DecisionID)
		words := verdictWord(permit.Verdict(d.Verdict))
		if d.Verdict == string(permit.VerdictAllowSession) {
			words += " for the session"
		}
		if d.By != "" {
			words += " by " + line(d.By)
		}
		if d.Note != "" {
			words += ": " + line(d.Note)
		}
		w.c.note("decided", words)
	case *event.Subagent:
		words := "begins"
		switch {
		case t == event.SubagentEnd && d.OK != nil && *d.OK:
			words = "is done"
		case t == event.SubagentEnd:
			words = "did not finish"
		}
		w.c.note("agent", line(d.Persona)+" "+words)
	case *event.Input:
		words := line(d.Message)
		if d.Attachments > 0 {
			words = strings.TrimSpace(words + " (" + count(d.Attachments, "file", "files") + ")")
		}
		w.c.note("heard", words)
	case *event.Attachment:
		w.c.note("shown", fmt.Sprintf("%s: %s, %s", line(d.Filename), line(d.MIMEType), size(d.Bytes)))
	}
}

// asked tells of a question: here, where somebody can answer, it is put to them.
func (w *watcher) asked(ctx context.Context, r permit.Request) {
	w.c.noteQuestion(r)
	w.asker.ask(ctx, r)
}

// inside marks what a subagent does.
func inside(parent string) string {
	if parent == "" {
		return ""
	}
	return "· "
}

// maxGist is how much of a call's input or failure a line shows, in columns.
const maxGist = 160

// tellingMembers are the members of an input that say most, in the order of preference.
var tellingMembers = []string{"command", "path", "pattern", "url", "task", "query"}

// gist is a call's input in a line: the member that says most, else all of it.
func gist(input json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(input, &members) == nil {
		for _, name := range tellingMembers {
			var s string
			if json.Unmarshal(members[name], &s) == nil && strings.TrimSpace(s) != "" {
				return clip(line(s), maxGist)
			}
		}
		if len(members) == 0 {
			return ""
		}
	}
	return clip(line(string(input)), maxGist)
}

// result is how a call ended, in a line.
func result(d *event.ToolOutcome) string {
	words := line(d.Name) + " done"
	if !d.OK {
		words = line(d.Name) + " failed"
	}
	if d.DurationMS > 0 {
		words += " in " + (time.Duration(d.DurationMS) * time.Millisecond).String()
	}
	if !d.OK {
		first, _, _ := strings.Cut(strings.TrimSpace(d.Output), "\n")
		words += ": " + clip(line(first), maxGist)
	}
	if len(d.Changed) > 0 {
		words += ", changed " + clip(line(strings.Join(d.Changed, ", ")), maxGist)
	}
	return words
}
