package decomposition

import (
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/document"
)

// block reads what is below a heading that defines something: lines
// "**Label:** value" and what continues them, and headings of lower levels with a
// label's name. With prose, text without a label is the description where nothing
// else is. It reports whether there was any label.
func (p *parser) block(def *definition, h document.Heading, later []document.Heading, prose bool) bool {
	end := p.text.Len()
	below := map[int]part{}
	for _, next := range later {
		_, named := referHeading(next.Text)
		if next.Level <= h.Level || named || !prose {
			end = next.Line
			break
		}
		below[next.Line] = partOf(plain(next.Text))
	}
	b := reader{def: def}
	for i := h.Line + 1; i < end; i++ {
		line := p.text.Line(i)
		if c, ok := below[i]; ok {
			b.open(c, "", true)
		} else if fields := p.text.Fields(i, i+1); len(fields) > 0 {
			if c := partOf(fields[0].Label); (c == partPackage || c == partPackageName) && def.kind == kindDeliverable {
				p.state(def, fields[0].Value)
				b.open(other, "", false)
				b.labels = true
			} else {
				b.open(c, fields[0].Value, false)
			}
		} else if p.text.Inert(i) || strings.HasPrefix(strings.TrimSpace(line), "|") || isRule(line) {
			b.open(other, "", false)
		} else {
			b.text(line)
		}
	}
	for c := range b.values {
		def.values[c] = b.values[c].String()
	}
	if prose && def.values[partDescription] == "" {
		def.values[partDescription] = b.prose.String()
	}
	return b.labels
}

// isRule reports whether a line separates parts of a text.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && (strings.Trim(line, "-") == "" || strings.Trim(line, "*") == "" || strings.Trim(line, "_") == "")
}

// reader collects the values of a block.
type reader struct {
	def    *definition
	values [partSupports + 1]gathering
	// prose is what is before the first label or heading.
	prose gathering
	// current is the part that a line without a label belongs to; section is set
	// while a heading opened it, so that it may have paragraphs.
	current        part
	section, began bool
	labels         bool
}

// open begins a part with its label's value.
func (b *reader) open(c part, value string, section bool) {
	b.began = true
	switch {
	case c == partName || c == partPackageName:
		if name := plain(value); name != "" {
			b.def.name, b.def.slug = name, false
		}
		c, b.labels = other, true
	case c < partName:
		c = other
	default:
		b.labels = true
		if b.values[c].Len() > 0 {
			c = other // it was said before
		} else {
			b.values[c].add(value)
		}
	}
	b.current, b.section = c, section
}

var bullet = lazyregexp.New(`^\s*(?:[-*+]|[0-9]{1,3}[.)])\s+`)

// text takes a line without a label.
func (b *reader) text(line string) {
	into := &b.prose
	if b.began {
		if b.current == other {
			return
		}
		into = &b.values[b.current]
	}
	text := strings.TrimSpace(line)
	mark := bullet.FindString(line)
	switch {
	case text == "" && b.began && !b.section && into.Len() > 0:
		b.current = other // a blank line ends what a label began
	case text == "":
		into.add("\n")
	case mark != "":
		into.add("\n- ")
		into.add(text[len(strings.TrimSpace(mark)):])
	case into.last == '\n':
		into.add(text)
	default:
		into.add(" ")
		into.add(text)
	}
}

// gathering is a value that grows.
type gathering struct {
	strings.Builder
	last byte
}

func (g *gathering) add(text string) {
	if text != "" {
		g.WriteString(text)
		g.last = text[len(text)-1]
	}
}
