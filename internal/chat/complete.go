package chat

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

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
func (m *Model) complete(step int) tea.Cmd {
	if m.editor.offers != nil {
		m.editor.cycle(step)
		return nil
	}
	before := m.editor.text[:m.editor.at]
	if !completable(before) {
		return nil
	}
	p, e := m.editor.paths, m.o.Engine
	return m.call(func(ctx context.Context) tea.Msg { return completed{completions(ctx, before, p, e)} })
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
			return completion{before: before} // who asks for the list is told why
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
