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
	// name is shown, text replaces what is before the cursor.
	name, text string
}

// completion is what the text before the cursor could become.
type completion struct {
	before string
	offers []offer
	// common is what the text becomes at once: all that the offers agree on.
	common string
}

// maxOffers is how many completions one can go through.
const maxOffers = 200

// completed brings a completion back to the editor that asked for it.
type completed struct{ completion }

// complete asks for the completions, or goes through those on show. To look for them
// takes as long as the file system does, so it is a job.
func (e *editor) complete(c *calls, step int) tea.Cmd {
	if e.offers != nil {
		e.cycle(step)
		return nil
	}
	before := e.before()
	if !completable(before) {
		return nil
	}
	p := e.paths
	return c.call(func(ctx context.Context) tea.Msg { return completed{completions(ctx, before, p, c.o.Engine)} })
}

// completable reports whether a text ends with what can be completed.
func completable(before string) bool {
	if name, _, ok := strings.Cut(before, " "); ok && strings.HasPrefix(name, "/") {
		return slices.Contains([]string{"/attach", "/mode", "/persona"}, name)
	}
	if strings.HasPrefix(before, "/") && !strings.Contains(before, "\n") {
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
		var words []string
		for _, c := range commands() {
			words = append(words, "/"+c.name)
		}
		return among(before, "", before, words, " ")
	case name == "/attach":
		written := strings.TrimLeft(rest, " ")
		return filedIn(ctx, p, before, before[:len(before)-len(written)], written, bare)
	case name == "/mode":
		return among(before, "/mode ", rest, modes, "")
	case name == "/persona":
		all, err := e.Personas(ctx)
		if err != nil {
			return completion{before: before} // who asks for the list learns why
		}
		var words []string
		for _, one := range all {
			words = append(words, one.ID)
		}
		return among(before, "/persona ", rest, words, "")
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

// among are those of some words that begin with what is written.
func among(before, stem, written string, words []string, end string) completion {
	c := completion{before: before}
	for _, w := range words {
		if strings.HasPrefix(w, written) {
			c.offers = append(c.offers, offer{w, stem + w + end})
		}
	}
	c.common = agreed(c.offers)
	return c
}

// filedIn are the files and folders that a written path could become, quoted where
// they have to be.
func filedIn(ctx context.Context, p *paths, before, stem, written string, q quoting) completion {
	c := completion{before: before}
	dir, last := "", written
	if i := strings.LastIndexByte(written, '/'); i >= 0 {
		dir, last = written[:i+1], written[i+1:]
	}
	found, prefix := p.matching(ctx, dir, last)
	blank := func(l listed) bool { return strings.ContainsAny(dir+l.name, " \t") }
	quote := q == always || q == blanks && slices.ContainsFunc(found, blank)
	for _, l := range found {
		o := offer{name: l.name, text: stem + dir + l.name}
		if quote {
			o.text = stem + `"` + dir + l.name
		}
		switch {
		case l.folder:
			o.name, o.text = o.name+"/", o.text+"/"
		case quote:
			o.text += `"`
		}
		c.offers = append(c.offers, o)
	}
	if prefix || len(c.offers) == 1 {
		c.common = agreed(c.offers)
	}
	return c
}

// agreed is what all of the offers begin with.
func agreed(offers []offer) string {
	if len(offers) == 0 {
		return ""
	}
	p := offers[0].text
	for _, o := range offers[1:] {
		for !strings.HasPrefix(o.text, p) {
			p = p[:len(p)-1]
		}
	}
	return strings.ToValidUTF8(p, "")
}

// completer is what an editor has to choose from.
type completer struct {
	// offers are the completions on show, left how many more there are, pick the one
	// that Tab has put in, -1 for none; after is the text after the cursor. nothing
	// is set where there was none.
	offers     []offer
	left, pick int
	after      string
	nothing    bool
}

// apply shows completions, and puts in what all of them have in common, unless
// something else was typed since they were asked for.
func (e *editor) apply(c completion) {
	before := e.before()
	if before != c.before {
		return
	}
	e.forget()
	after := e.text()[len(before):]
	if len(c.common) > len(before) || len(c.offers) == 1 {
		e.put(c.common, after)
	}
	e.after, e.nothing = after, len(c.offers) == 0
	if len(c.offers) > 1 {
		e.offers = c.offers[:min(len(c.offers), maxOffers)]
		e.left = len(c.offers) - len(e.offers)
	}
}

// cycle puts in the next of the completions on show, or the one before.
func (e *editor) cycle(step int) {
	c, n := e.completer, len(e.offers)
	if c.pick < 0 && step < 0 {
		c.pick = 0
	}
	c.pick = (c.pick + step + n) % n
	e.put(c.offers[c.pick].text, c.after)
	e.completer = c
}

// put replaces what is before the cursor.
func (e *editor) put(before, after string) {
	if strings.HasSuffix(before, `"`) {
		after = strings.TrimPrefix(after, `"`)
	}
	e.place(before, after)
}

// hints draws the completions in one line, from the one that is put in.
func (e *editor) hints(l *render.Look, width int) string {
	if e.searching {
		return l.Faint.Render(l.Cut(e.sought(), width))
	}
	if e.nothing {
		return l.Faint.Render(l.Cut("nothing of that name", width))
	}
	first := max(0, e.pick)
	shown := e.offers[min(first, len(e.offers)):]
	left := width
	var b strings.Builder
	for i, o := range shown {
		name, style, rest := render.Line(o.name), l.Faint, len(shown)-i-1+e.left
		room := left - 2
		if rest > 0 {
			room -= restCells
		}
		if i > 0 && l.Cells(name) > room {
			b.WriteString(l.Faint.Render(fmt.Sprintf("… %d more", rest+1)))
			break
		}
		if first+i == e.pick {
			style = l.Strong
		}
		name = l.Cut(name, max(1, room))
		left -= l.Cells(name) + 2
		b.WriteString(style.Render(name) + "  ")
	}
	return l.Cut(b.String(), width)
}

// restCells is the room for saying how many completions are not shown.
const restCells = 12
