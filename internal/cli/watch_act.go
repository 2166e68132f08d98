package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/render"
)

// question is the payload of permission:request with its effect as what it is.
type question struct {
	event.Permission
	Effect permit.Effect `json:"effect"`
}

// request is the question in the form that the store has it.
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
		w.called(d)
	case *event.ToolOutcome:
		w.outcome(d)
	case *question:
		w.asked(ctx, d.request(w.session))
	case *event.Verdict:
		w.asker.settled(d.DecisionID)
		w.c.note("decided", render.Verdict(d))
	case *event.Subagent:
		words, _ := render.Subagent(t, d)
		w.c.note("agent", words)
	case *event.Input:
		w.heard = append(w.heard, d.Message)
		words := line(d.Message)
		if d.Attachments > 0 {
			words = strings.TrimSpace(words + " (" + quantity.Count(d.Attachments, "file", "files") + ")")
		}
		w.c.note("heard", words)
	case *event.Attachment:
		w.c.note("shown", fmt.Sprintf("%s: %s, %s", line(d.Filename), line(d.MIMEType), quantity.Size(d.Bytes)))
	case *event.SentFile:
		w.c.note("file", render.Sent(*d))
	}
}

// asked reports a question: here, where somebody can answer, it is put to them.
func (w *watcher) asked(ctx context.Context, r permit.Request) {
	noteQuestion(w.c, r)
	w.asker.ask(ctx, pending{call: r})
}

// inside marks what a subagent does.
func inside(parent string) string {
	if parent == "" {
		return ""
	}
	return "· "
}

// callKey tells a call from those of other agents: some services number calls anew in
// each answer, so a subagent's may have the ids of its parent's.
func callKey(parent, id string) string { return parent + "\n" + id }

// called prints a call in a line.
func (w *watcher) called(d *event.ToolUse) {
	prefix := inside(d.ParentToolCallID)
	w.c.note("calls", prefix+about(d.Name, d.Input, w.c.room(noteCells+cells(prefix))))
	if len(w.calls) == 0 {
		w.calls, w.together = map[string]*event.ToolUse{}, 0
	}
	w.calls[callKey(d.ParentToolCallID, d.ToolCallID)] = d
	w.together++
}

// outcome prints how a call ended, and the first lines of what it said.
func (w *watcher) outcome(d *event.ToolOutcome) {
	text := strings.Trim(clean(render.WithoutSequences(d.Output)), "\n")
	subject := clip(line(d.Name), maxSubject)
	key := callKey(d.ParentToolCallID, d.ToolCallID)
	if call := w.calls[key]; call != nil && w.together > 1 {
		subject = about(d.Name, call.Input, w.c.room(noteCells+len("· done in 00.000s")))
	}
	delete(w.calls, key)
	delete(w.live, key)
	head := inside(d.ParentToolCallID) + result(d, subject)
	if !d.OK && text != "" && !strings.Contains(text, "\n") {
		head, text = head+": "+clip(text, maxFailure), ""
	}
	if d.OK && len(d.Changed) > 0 && (d.Name == "write" || d.Name == "edit") {
		text = "" // it says what changed
	}
	w.c.note("result", head)
	if text == "" {
		return
	}
	margin := strings.Repeat(" ", noteCells)
	lines, more := folded(text)
	if more > 0 {
		lines = append(lines, "… "+quantity.Count(more, "more line", "more lines"))
	}
	for _, l := range lines {
		_, _ = io.WriteString(w.c.err, margin+w.c.paint(styleQuiet, w.c.clipped(l, noteCells))+"\n") // the sink keeps its first error
	}
}

// maxSubject is how much of a tool's name is shown, in columns: a model may make one up.
const maxSubject = 80

// maxFailure is how much of why a call failed is shown, in columns: with the next
// step, which ends it.
const maxFailure = 400

// result is how a call ended, in a line.
func result(d *event.ToolOutcome, subject string) string {
	words := subject + " done"
	if !d.OK {
		words = subject + " failed"
	}
	if d.DurationMS > 0 {
		words += " in " + quantity.Duration(time.Duration(d.DurationMS)*time.Millisecond)
	}
	gone := make(map[string]bool, len(d.Removed))
	for _, path := range d.Removed {
		gone[path] = true
	}
	left := slices.DeleteFunc(slices.Clone(d.Changed), func(path string) bool { return gone[path] })
	return words + some(", changed ", left) + some(", removed ", d.Removed)
}

// some are files after a verb, the first of them by name; "" for none.
func some(verb string, paths []string) string {
	n := len(paths)
	if n == 0 {
		return ""
	}
	words := verb + line(strings.Join(paths[:min(n, foldedFiles)], ", "))
	if n > foldedFiles {
		words += fmt.Sprintf(" and %d more", n-foldedFiles)
	}
	return words
}
