package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
)

// offer is one thing that what is typed could become.
type offer struct {
	// name is shown with what it is, text replaces what is before the cursor.
	name, detail, text string
	// runs is set where Enter goes on to send it; folder where it can be completed on.
	runs, folder bool
}

// completion is what the text before the cursor could become.
type completion struct {
	before string
	offers []offer
	// partial is set while more may be found.
	partial bool
}

// maxOffers is how many completions one can go through.
const maxOffers = 200

// completed brings a completion back to the editor that asked for it. asked is set where
// the person did, with Tab.
type completed struct {
	completion
	asked bool
}

// suggest looks for what the text before the cursor could become, after a key has
// changed it. To look for files takes as long as the file system does, so it is a job;
// one for an earlier text ends.
func (e *editor) suggest(c *calls, asked bool) tea.Cmd {
	if e.searching {
		return nil
	}
	before := e.before()
	if e.lookup != nil {
		e.lookup()
		e.lookup = nil
	}
	if !completable(before) {
		e.forget()
		return nil
	}
	if !strings.Contains(before, " ") && strings.HasPrefix(before, "/") {
		// At once, so that Enter finds what is on the screen.
		e.apply(completed{completion{before: before, offers: commandOffers(e.commands, before)}, asked})
		return nil
	}
	p := e.paths
	cmds, commands := []tea.Cmd{p.names.gather(c)}, e.commands
	ctx, cancel := context.WithCancel(c.ctx)
	e.lookup = cancel
	return tea.Batch(append(cmds, c.call(func(context.Context) tea.Msg {
		found := completions(ctx, commands, before, p, c.o.Engine)
		if ctx.Err() != nil {
			return nil
		}
		return completed{found, asked}
	}))...)
}

// completer is what an editor has to choose from.
type completer struct {
	// offers are the completions on show, left how many more there are, pick the one
	// that Tab and Enter put in; after is the text after the cursor. nothing is set
	// where there was none, and the person has asked.
	offers     []offer
	left, pick int
	after      string
	nothing    bool
}

// apply shows completions, unless something else was typed since they were asked for.
// The only one that a person has asked for is put in at once. It reports whether they
// are to be looked for again, because more may be found.
func (e *editor) apply(c completed) (again bool) {
	before := e.before()
	if before != c.before || e.searching {
		return false
	}
	after, picked := e.text()[len(before):], ""
	if e.pick > 0 && e.pick < len(e.offers) {
		picked = e.offers[e.pick].text
	}
	e.forget()
	if c.asked && len(c.offers) == 1 && !c.partial {
		e.after = after
		e.put(c.offers[0])
		return false
	}
	e.after, e.nothing = after, c.asked && len(c.offers) == 0 && !c.partial
	e.offers = c.offers[:min(len(c.offers), maxOffers)]
	e.left = len(c.offers) - len(e.offers)
	e.pick = max(0, slices.IndexFunc(e.offers, func(o offer) bool { return o.text == picked }))
	return c.partial
}

// choosing is a key while completions are on show. It reports whether that was all there
// is to it.
func (e *editor) choosing(k tea.KeyPressMsg, c *calls) (tea.Cmd, bool) {
	if len(e.offers) == 0 {
		return nil, false
	}
	n := len(e.offers)
	switch k.String() {
	case "up", "ctrl+p", "shift+tab":
		e.pick = (e.pick + n - 1) % n
	case "down", "ctrl+n":
		e.pick = (e.pick + 1) % n
	case "esc":
		e.forget()
	case "tab":
		return e.choose(c), true
	case "enter":
		o := e.offers[e.pick]
		switch {
		case e.written(): // it is typed already
			return nil, false
		case o.runs:
			e.put(o)
			return nil, false
		}
		return e.choose(c), true
	default:
		return nil, false
	}
	return nil, true
}

// written reports whether what is typed is one of the completions on show, or a command
// by another name.
func (e *editor) written() bool {
	before := e.before()
	if name, ok := strings.CutPrefix(before, "/"); ok && otherNames[name] != "" {
		return true
	}
	return slices.ContainsFunc(e.offers, func(o offer) bool {
		return strings.TrimSuffix(o.text, " ") == strings.TrimSuffix(before, " ")
	})
}

// choose puts the picked completion in, and looks into it where it is a folder or takes
// an argument.
func (e *editor) choose(c *calls) tea.Cmd {
	o := e.offers[e.pick]
	e.put(o)
	if o.folder || strings.HasSuffix(o.text, " ") {
		return e.suggest(c, false)
	}
	return nil
}

// put replaces what is before the cursor.
func (e *editor) put(o offer) {
	after := e.after
	if strings.HasSuffix(o.text, `"`) {
		after = strings.TrimPrefix(after, `"`)
	}
	e.place(o.text, after)
}

// hints draws the completions, or what is looked for in the history.
func (e *editor) hints(l *render.Look, width, height int) []string {
	switch {
	case e.searching:
		return []string{l.Faint.Render(l.Cut(e.sought(), width))}
	case e.nothing:
		return []string{l.Faint.Render(l.Cut("nothing of that name", width))}
	case len(e.offers) == 0:
		return nil
	}
	rows := make([]row, len(e.offers))
	for i, o := range e.offers {
		rows[i] = row{head: o.name, detail: o.detail}
	}
	lines, more := drawList(l, rows, e.pick, max(1, min(maxMenuRows, height/3)), width)
	foot := "Tab puts it in, Esc closes"
	if more += e.left; more > 0 {
		foot = fmt.Sprintf("… %d more; ", more) + foot
	}
	if height >= roomyHeight {
		lines = append(lines, l.Faint.Render(l.Cut("  "+foot, width)))
	}
	return lines
}

// roomyHeight is from which height on a window has room for a line that helps.
const roomyHeight = 16
