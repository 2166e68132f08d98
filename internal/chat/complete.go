package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
	"belay/internal/turn"
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
		e.apply(completed{completion{before: before, offers: commandOffers(before)}, asked})
		return nil
	}
	p := e.paths
	cmds := []tea.Cmd{p.names.gather(c)}
	ctx, cancel := context.WithCancel(c.ctx)
	e.lookup = cancel
	return tea.Batch(append(cmds, c.call(func(context.Context) tea.Msg {
		found := completions(ctx, before, p, c.o.Engine)
		if ctx.Err() != nil {
			return nil
		}
		return completed{found, asked}
	}))...)
}

// completable reports whether a text ends with what can be completed.
func completable(before string) bool {
	if name, _, ok := strings.Cut(before, " "); ok && strings.HasPrefix(name, "/") && !strings.Contains(name, "\n") {
		if slices.Contains([]string{"/attach", "/mode", "/persona"}, name) {
			return true
		}
	}
	if strings.HasPrefix(before, "/") && !strings.ContainsAny(before, " \n") {
		return true
	}
	_, _, _, ok := openMention(before)
	return ok
}

// completions finds what a text could become.
func completions(ctx context.Context, before string, p *paths, e turn.Personas) completion {
	name, rest, argument := strings.Cut(before, " ")
	switch {
	case strings.HasPrefix(before, "/") && !argument:
		return completion{before: before, offers: commandOffers(before)}
	case name == "/attach":
		written := strings.TrimLeft(rest, " ")
		return filedIn(ctx, p, before, before[:len(before)-len(written)], written, bare)
	case name == "/mode":
		return among(before, "/mode ", rest, modeOffers())
	case name == "/persona":
		all, err := e.Personas(ctx)
		if err != nil {
			return completion{before: before} // who asks for the list learns why
		}
		var offers []offer
		for _, one := range all {
			offers = append(offers, offer{name: one.ID, detail: render.Glance(one.Description, titleColumns)})
		}
		return among(before, "/persona ", rest, offers)
	}
	stem, written, quoted, ok := openMention(before)
	switch {
	case !ok:
		return completion{before: before}
	case quoted:
		return filedIn(ctx, p, before, stem, written, always)
	}
	return filedIn(ctx, p, before, stem, written, blanks)
}

// commandOffers are the commands that the beginning of a line could become: those that
// begin with it, those that people from other programs know by another name, and those
// that contain it.
func commandOffers(before string) []offer {
	typed := strings.TrimPrefix(before, "/")
	var found [3][]offer
	for _, c := range commands() {
		o := offer{name: "/" + c.name, detail: c.does, text: "/" + c.name, runs: !strings.HasPrefix(c.takes, "P")}
		if c.takes != "" {
			o.name, o.text = o.name+" "+c.takes, o.text+" "
		}
		known := func(other string) bool { return otherNames[other] == c.name && strings.HasPrefix(other, typed) }
		switch {
		case strings.HasPrefix(c.name, typed):
			found[0] = append(found[0], o)
		case hasOther(known):
			found[1] = append(found[1], o)
		case len(typed) > 1 && strings.Contains(c.name, typed):
			found[2] = append(found[2], o)
		}
	}
	return slices.Concat(found[:]...)
}

// hasOther reports whether another name of a command fits.
func hasOther(fits func(other string) bool) bool {
	for other := range otherNames {
		if fits(other) {
			return true
		}
	}
	return false
}

// quoting says when a path is put in quotes: never, where one of those that are
// offered has blanks, or because it is already.
type quoting int

const (
	bare quoting = iota
	blanks
	always
)

// openMention takes a text apart that ends within a mention of a file: what is before
// the path, without a quote, and the path as far as it is written.
func openMention(before string) (stem, written string, quoted, ok bool) {
	all := mentions(before)
	if len(all) == 0 || !all[len(all)-1].open {
		return "", "", false, false
	}
	m := all[len(all)-1]
	return strings.TrimSuffix(before[:m.at], `"`), m.path, m.quoted, true
}

// among are those of some words that begin with what is written, as an argument of a
// command.
func among(before, stem, written string, words []offer) completion {
	c := completion{before: before}
	for _, w := range words {
		if strings.HasPrefix(strings.ToLower(w.name), strings.ToLower(written)) {
			w.text, w.runs = stem+w.name, true
			c.offers = append(c.offers, w)
		}
	}
	return c
}

// filedIn are the files and folders that a written path could become, quoted where
// they have to be: those of its own folder that begin with it, and those anywhere
// below whose names fit.
func filedIn(ctx context.Context, p *paths, before, stem, written string, q quoting) completion {
	c := completion{before: before}
	dir, last := "", written
	if i := strings.LastIndexByte(written, '/'); i >= 0 {
		dir, last = written[:i+1], written[i+1:]
	}
	found, prefix := p.matching(ctx, dir, last)
	for i := range found {
		found[i].name = dir + found[i].name
	}
	if last != "" && !strings.HasPrefix(last, ".") && !strings.HasPrefix(written, ".") && !strings.HasPrefix(written, "~/") && !strings.HasPrefix(written, "/") {
		var below []listed
		below, c.partial = p.names.search(ctx, written, maxOffers)
		if found = append(found, below...); !prefix {
			found = append(slices.Clone(below), found[:len(found)-len(below)]...)
		}
	}
	quote := q == always
	seen := map[string]bool{}
	for _, l := range found {
		if seen[l.name] {
			continue
		}
		seen[l.name] = true
		o := offer{name: l.name, text: stem + l.name, folder: l.folder, runs: q == bare && !l.folder}
		quote := quote || q == blanks && strings.ContainsAny(l.name, " \t")
		if quote {
			o.text = stem + `"` + l.name
		}
		switch {
		case l.folder:
			o.name, o.text = o.name+"/", o.text+"/"
		case quote:
			o.text += `"`
		}
		c.offers = append(c.offers, o)
	}
	return c
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
