package risk

import (
	"strings"
)

// setting is one value of a configuration of Git. Section and key are in small letters.
type setting struct{ section, key, value string }

// settingsIn are the settings of a configuration, as Git reads it: sections with names in
// quotes or after a dot, values with quotes, escapes and comments, and lines that go on.
// What Git would not take is read as well as it can be: too much is named rather than too
// little.
func settingsIn(text string) (all []setting) {
	p := settingsParser{rest: strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")}
	section := ""
	for {
		p.skip(" \t\n\f\v\r")
		switch {
		case p.rest == "":
			return all
		case p.rest[0] == '#' || p.rest[0] == ';':
			p.until("\n")
		case p.rest[0] == '[':
			section = p.section()
		default:
			key := strings.ToLower(strings.TrimSpace(p.until("=\n#;")))
			value := ""
			if strings.HasPrefix(p.rest, "=") {
				p.rest = p.rest[1:]
				value = p.value()
			}
			all = append(all, setting{section, key, value})
		}
	}
}

// settingsParser reads a configuration from its beginning on.
type settingsParser struct{ rest string }

func (p *settingsParser) skip(chars string) { p.rest = strings.TrimLeft(p.rest, chars) }

// until takes what comes before one of the characters.
func (p *settingsParser) until(chars string) string {
	i := strings.IndexAny(p.rest, chars)
	if i < 0 {
		i = len(p.rest)
	}
	taken := p.rest[:i]
	p.rest = p.rest[i:]
	return taken
}

// section takes a heading and returns the name of the section, without that of a part.
func (p *settingsParser) section() string {
	name := p.until("]\n \t.\"")
	quoted := false
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted, c == '\n':
			p.rest = p.rest[i+1:]
			return strings.ToLower(strings.Trim(name, "[ \t"))
		}
	}
	p.rest = ""
	return strings.ToLower(strings.Trim(name, "[ \t"))
}

// escapes are what stands after a backslash.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'b': "\b", '\n': ""}

// value takes a value up to the end of its line.
func (p *settingsParser) value() string {
	p.skip(" \t")
	var text strings.Builder
	quoted, kept := false, 0 // blanks at the end outside of quotes are no part of it
	i := 0
	for ; i < len(p.rest) && p.rest[i] != '\n'; i++ {
		c := p.rest[i]
		switch {
		case (c == '#' || c == ';') && !quoted:
			p.rest = p.rest[i:]
			p.until("\n")
			return text.String()[:kept]
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(p.rest):
			i++
			if plain, ok := escapes[p.rest[i]]; ok {
				text.WriteString(plain)
			} else {
				text.WriteByte(p.rest[i])
			}
		default:
			text.WriteByte(c)
		}
		if quoted || c != ' ' && c != '\t' {
			kept = text.Len()
		}
	}
	p.rest = p.rest[i:]
	return text.String()[:kept]
}
