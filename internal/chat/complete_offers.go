package chat

import (
	"context"
	"slices"
	"strings"

	"belay/internal/render"
	"belay/internal/turn"
)

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
func completions(ctx context.Context, commands []slash, before string, p *paths, e turn.Personas) completion {
	name, rest, argument := strings.Cut(before, " ")
	switch {
	case strings.HasPrefix(before, "/") && !argument:
		return completion{before: before, offers: commandOffers(commands, before)}
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
func commandOffers(commands []slash, before string) []offer {
	typed := strings.TrimPrefix(before, "/")
	var found [3][]offer
	for _, c := range commands {
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
// the path, without a quote, and the part of the path that is written.
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
