package chat

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"belay/internal/permit"
	"belay/internal/render"
	"belay/internal/turn"
)

// Always is where a rule goes that a person wants to hold from now on.
type Always struct {
	// File is shown before anything is written to it.
	File string
	// Write adds rules, which hold from the next call on. It returns what the person should
	// know of that, "" for nothing.
	Write func(ctx context.Context, rules []permit.Rule) (note string, err error)
}

// always are the rules that would answer the question from now on, nil where none may.
func (d *dialog) always(a *ask) []permit.Rule {
	if d.calls.o.Always == nil || !a.Session {
		return nil
	}
	return a.effect.AlwaysRules()
}

// openAlways shows what "always" would write.
func (d *dialog) openAlways(a *ask) {
	switch rules := d.always(a); {
	case d.calls.o.Always == nil:
		a.failed = "the rules are those of the server; its operator adds them to permit.allow"
	case len(rules) == 0:
		a.failed = "this kind of call is asked about each time: no rule is offered for it"
	default:
		a.rules, a.failed, a.top = rules, "", 0
	}
}

// alwaysKey is a key while the rules are shown.
func (d *dialog) alwaysKey(a *ask, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		return d.writeAlways(a)
	case "esc", "n":
		a.rules = nil
	}
	return nil
}

// writeAlways writes the rules, and then allows the call.
func (d *dialog) writeAlways(a *ask) tea.Cmd {
	if a.sent {
		return nil
	}
	a.sent, a.failed = true, ""
	rules, always := a.rules, d.calls.o.Always
	r := turn.DecisionRequest{SessionID: a.session, DecisionID: a.DecisionID, Verdict: permit.VerdictAllow, By: d.calls.o.By}
	return d.calls.call(func(ctx context.Context) tea.Msg {
		note, err := always.Write(ctx, rules)
		if err != nil {
			return decided{r.DecisionID, err}
		}
		_, err = d.calls.o.Engine.Decide(ctx, r)
		return ruled{rules, note, decided{r.DecisionID, err}}
	})
}

// ruled is the end of an answer for always.
type ruled struct {
	rules []permit.Rule
	note  string
	decided
}

// taken says what was written, whatever became of the question.
func (msg ruled) taken(m *Model) {
	for _, r := range msg.rules {
		m.conversation.notify(noticeInfo, "allowed from now on: "+r.String()+", in "+m.o.Always.File)
	}
	if msg.note != "" {
		m.conversation.notify(noticeWarning, msg.note)
	}
	m.dialog.decided(msg.decided)
}

// alwaysBody is what "always" would write, and where.
func (d *dialog) alwaysBody(a *ask, width int) []string {
	l := d.look
	lines := l.Fold("This is added to your settings. It holds for all your projects and sessions, from the next call on.", width)
	label := "rule"
	for _, r := range a.rules {
		lines = append(lines, labelled(l, label, render.Spread(render.Visible(r.String())), width)...)
		label = ""
	}
	lines = append(lines, labelled(l, "in", "permit.allow", width)...)
	lines = append(lines, labelled(l, "of", render.Visible(d.calls.o.Always.File), width)...)
	return append(lines, labelled(l, "undo", "take the line out of that file", width)...)
}
