package cli

import (
	"context"
	"slices"
	"strings"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/render"
	"belay/internal/workflow/run"
)

// pending is what waits for a person: a call of a tool, or a wait task of a run.
type pending struct {
	call permit.Request
	// wait is the wait task, nil for a call.
	wait *run.Waiting
}

func (q pending) id() string {
	if q.wait != nil {
		return q.wait.DecisionID
	}
	return q.call.ID
}

// answers are the lines to type.
func (q pending) answers() []string {
	id := shortened(q.id())
	all := []string{"belay decision allow " + id}
	if q.call.Session {
		all = append(all, "belay decision allow "+id+" --session")
	}
	return append(all, "belay decision deny "+id)
}

// prompt is what a terminal asks, and what can be typed there.
func (q pending) prompt() (label, choices string) {
	if q.wait != nil {
		return "continue " + line(q.wait.Task) + "?", "y = continue, n = refuse"
	}
	choices = "y = allow, n = deny"
	if q.call.Session {
		choices += ", s = allow for the session"
	}
	if len(q.call.Effect.Choices()) > 0 {
		choices += ", o = allow some files"
	}
	return "allow?", choices
}

// answerLines lays the lines to type out under a label of that width. None is
// wrapped, so that it can be copied; in a narrow window they go below the label.
func answerLines(c *console, q pending, label string, width int) string {
	all := q.answers()
	for _, l := range all {
		if c.width > 0 && width+cells(l) > c.width {
			return label + "\n  " + strings.Join(all, "\n  ") + "\n"
		}
	}
	return pad(label, width) + strings.Join(all, "\n"+strings.Repeat(" ", width)) + "\n"
}

// printPending prints a question on stdout; lines bounds its diff, 0 does not.
func printPending(c *console, q pending, lines int) {
	w := q.wait
	if w == nil {
		printQuestion(c, q.call, lines)
		return
	}
	until := "it is answered"
	if w.Until != nil {
		until = when(*w.Until)
	}
	c.fields("decision", w.DecisionID, "run", w.RunID, "project", w.Project, "workflow", line(w.Workflow),
		"task", line(w.Task), "asks", render.Visible(w.Message), "since", when(w.Since), "until", until)
	c.write(answerLines(c, q, "answer", len("decision")+2))
}

// allPending is everything that waits for a person, the calls first. With a session it is
// what that one asks.
func allPending(ctx context.Context, a *app.App, session string) ([]pending, error) {
	calls, err := a.Engine.Decisions(ctx, session)
	if err != nil {
		return nil, err
	}
	var all []pending
	for _, r := range calls {
		all = append(all, pending{call: r})
	}
	if session != "" {
		return all, nil
	}
	waits, err := a.Runs.Questions(ctx)
	for i := range waits {
		all = append(all, pending{wait: &waits[i]})
	}
	return all, err
}

// minQuestion is how much of a question's id is enough to name it: what all begin
// with, and a little of what is its own.
const minQuestion = len("dec_") + 2

// openQuestion finds the open one that a person named, by its whole id or by a
// beginning that no other open one has.
func openQuestion(ctx context.Context, a *app.App, named string) (pending, bool, error) {
	open, err := allPending(ctx, a, "")
	if err != nil {
		return pending{}, false, err
	}
	id, err := resolveID(open, pending.id, named, minQuestion, "open question")
	if i := slices.IndexFunc(open, func(q pending) bool { return q.id() == id }); err == nil && i >= 0 {
		return open[i], true, nil
	}
	return pending{}, false, err
}
