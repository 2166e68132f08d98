// Package gitconfig reads the text of a configuration of git, as git itself reads it:
// sections on one line with a key, quotes, escapes, comments and lines that go on.
//
// It is pure: it reads no file and follows no include. A text may come from anybody.
package gitconfig

import (
	"errors"
	"strings"
)

// Setting is a key of a configuration with its value.
type Setting struct {
	// Section and Key are in lower case. Subsection is as it is written, "" for none. A key
	// before every section has the section "", and git obeys none.
	Section, Subsection, Key string
	// Value has no quotes and escapes. It is empty for a key without one, too.
	Value string
}

// Name is the section and the key, without the subsection.
func (s *Setting) Name() string { return s.Section + "." + s.Key }

// ErrSyntax says that git does not understand a text.
var ErrSyntax = errors.New("this is no configuration of git")

// Parse returns the settings of a text in their order. With [ErrSyntax] it returns those
// before the place where git gives up.
func Parse(text string) ([]Setting, error) {
	p := &parser{text: strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")}
	if strings.ContainsRune(text, 0) {
		return nil, ErrSyntax // programs disagree on what comes after it
	}
	var all []Setting
	at := Setting{}
	for p.skip() {
		if p.peek() == '[' {
			section, subsection, ok := p.section()
			if !ok {
				return all, ErrSyntax
			}
			at = Setting{Section: section, Subsection: subsection}
			continue
		}
		s := at
		var ok bool
		if s.Key, s.Value, ok = p.setting(); !ok {
			return all, ErrSyntax
		}
		all = append(all, s)
	}
	return all, nil
}

// parser is at a place of a text.
type parser struct {
	text string
	at   int
}

// peek is the byte at the place. A text ends with a line end, whether it has one or not.
func (p *parser) peek() byte {
	if p.at >= len(p.text) {
		return '\n'
	}
	return p.text[p.at]
}

func (p *parser) next() byte {
	c := p.peek()
	p.at++
	return c
}

// skip goes to the next section or key, and reports whether there is one.
func (p *parser) skip() bool {
	for p.at < len(p.text) {
		switch c := p.peek(); {
		case c == '#' || c == ';':
			for p.peek() != '\n' {
				p.at++
			}
		case !space(c):
			return true
		}
		p.at++
	}
	return false
}

// section reads the name of a section. A subsection is quoted, or follows a dot.
func (p *parser) section() (section, subsection string, ok bool) {
	p.at++ // the bracket
	start := p.at
	for keyByte(p.peek()) || p.peek() == '.' {
		p.at++
	}
	section = strings.ToLower(p.text[start:p.at])
	switch c := p.next(); {
	case c == ']':
		section, subsection, _ = strings.Cut(section, ".")
		return section, subsection, section != ""
	case !space(c) || c == '\n':
		return "", "", false
	}
	for p.peek() == ' ' || p.peek() == '\t' || p.peek() == '\r' {
		p.at++
	}
	if p.next() != '"' {
		return "", "", false
	}
	var b strings.Builder
	for {
		c := p.next()
		switch c {
		case '"':
			return section, b.String(), p.next() == ']' && section != ""
		case '\\':
			c = p.next()
		}
		if c == '\n' {
			return "", "", false
		}
		b.WriteByte(c)
	}
}

// setting reads a key and what it is set to.
func (p *parser) setting() (key, value string, ok bool) {
	start := p.at
	if !letter(p.peek()) {
		return "", "", false
	}
	for keyByte(p.peek()) {
		p.at++
	}
	key = strings.ToLower(p.text[start:p.at])
	for p.peek() == ' ' || p.peek() == '\t' {
		p.at++
	}
	switch p.next() {
	case '\n':
		return key, "", true
	case '=':
		value, ok = p.value()
		return key, value, ok
	}
	return "", "", false
}

// value reads up to the end of the line, which a backslash there moves on.
func (p *parser) value() (string, bool) {
	var b strings.Builder
	quoted, trimmed := false, 0 // trimmed is how much is left without the spaces at the end
	for {
		c := p.next()
		switch {
		case c == '\n':
			return b.String()[:trimmed], !quoted
		case !quoted && space(c):
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			for p.peek() != '\n' {
				p.at++
			}
			continue
		case c == '"':
			quoted = !quoted
			trimmed = b.Len()
			continue
		case c == '\\':
			switch c = p.next(); c {
			case '\n':
				trimmed = b.Len()
				continue
			case 't':
				c = '\t'
			case 'n':
				c = '\n'
			case 'b':
				c = '\b'
			case '\\', '"':
			default:
				return "", false
			}
		}
		b.WriteByte(c)
		trimmed = b.Len()
	}
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func keyByte(c byte) bool { return letter(c) || c >= '0' && c <= '9' || c == '-' }
