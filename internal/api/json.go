package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxDepth bounds how deep a JSON body may nest.
const maxDepth = 64

type kind byte

// The kinds of JSON values. The zero value is for what is not there.
const (
	absent kind = iota
	null
	boolean
	number
	text
	array
	object
)

// value is one JSON value. Unlike a decoded Go value it still knows whether it
// was there, what it was, and how it was written.
type value struct {
	kind kind
	// raw is the value as written. It lies in the request's buffer.
	raw []byte
	// text is a decoded string.
	text string
	// items are the elements of an array, or the members of an object, whose
	// names are in the same order.
	items []value
	names []string
}

// get returns a member of an object.
func (v value) get(name string) value {
	for i, n := range v.names {
		if n == name {
			return v.items[i]
		}
	}
	return value{}
}

// parseJSON reads one JSON value strictly: the RFC 8259 grammar, and no
// duplicate keys, no broken UTF-8 (not even as escapes) and no deep nesting,
// which two readers could take to mean different things. It keeps slices of b.
func parseJSON(b []byte) (value, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(b, &whole); err != nil {
		return value{}, explain(err, len(b))
	}
	if !utf8.Valid(b) {
		return value{}, errors.New("is not valid UTF-8")
	}
	p := jsonWalk{b: b}
	return p.value(0)
}

func explain(err error, size int) error {
	if size == 0 {
		return errors.New("is empty")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("is not valid JSON: %v, at byte %d", syntax, syntax.Offset)
	}
	return errors.New("is not valid JSON")
}

// jsonWalk splits text that is known to be valid JSON.
type jsonWalk struct {
	b   []byte
	pos int
}

func (p *jsonWalk) space() {
	for p.pos < len(p.b) && bytes.IndexByte([]byte(" \t\r\n"), p.b[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *jsonWalk) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, fmt.Errorf("nests deeper than %d levels", maxDepth)
	}
	p.space()
	start := p.pos
	v, err := value{}, error(nil)
	switch p.b[p.pos] {
	case '{':
		v, err = p.object(depth)
	case '[':
		v, err = p.array(depth)
	case '"':
		v.kind = text
		v.text, err = p.string()
	case 'n':
		v.kind, p.pos = null, p.pos+len("null")
	case 't':
		v.kind, p.pos = boolean, p.pos+len("true")
	case 'f':
		v.kind, p.pos = boolean, p.pos+len("false")
	default:
		v.kind = number
		for p.pos < len(p.b) && bytes.IndexByte([]byte("+-.0123456789eE"), p.b[p.pos]) >= 0 {
			p.pos++
		}
	}
	v.raw = p.b[start:p.pos]
	return v, err
}

func (p *jsonWalk) object(depth int) (value, error) {
	v := value{kind: object}
	var seen map[string]bool
	for p.next('}') {
		name, err := p.string()
		if err != nil {
			return v, err
		}
		// Bodies have few keys; only a hostile one needs the map.
		if len(v.names) == 16 {
			seen = make(map[string]bool)
			for _, n := range v.names {
				seen[n] = true
			}
		}
		if seen[name] || seen == nil && v.get(name).kind != absent {
			return v, fmt.Errorf("has the key %q twice", clip(name))
		}
		if seen != nil {
			seen[name] = true
		}
		p.space()
		p.pos++ // the colon
		member, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.names, v.items = append(v.names, name), append(v.items, member)
	}
	return v, nil
}

func (p *jsonWalk) array(depth int) (value, error) {
	v := value{kind: array}
	for p.next(']') {
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
	return v, nil
}

// next steps over the opening bracket or a comma to the next element, or over
// the closing bracket, which ends the loop.
func (p *jsonWalk) next(end byte) bool {
	p.space()
	if p.b[p.pos] != end {
		p.pos++
		p.space()
	}
	if p.b[p.pos] == end {
		p.pos++
		return false
	}
	return true
}

func (p *jsonWalk) string() (string, error) {
	start := p.pos
	plain := true
	for p.pos++; p.b[p.pos] != '"'; p.pos++ {
		if p.b[p.pos] == '\\' {
			plain = false
			p.pos++
		}
	}
	p.pos++
	raw := p.b[start:p.pos]
	if plain {
		return string(raw[1 : len(raw)-1]), nil
	}
	if loneSurrogate(raw) {
		return "", errors.New(`has a \u escape that is half of a character`)
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// loneSurrogate reports an escaped UTF-16 surrogate without its other half.
// Decoders turn it into U+FFFD silently, which would change a text or a path.
func loneSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		unit := hex4(raw[i+1:])
		i += 4
		switch {
		case unit >= 0xDC00 && unit < 0xE000:
			return true
		case unit >= 0xD800 && unit < 0xDC00:
			if raw[i+1] != '\\' || raw[i+2] != 'u' {
				return true
			}
			if low := hex4(raw[i+3:]); low < 0xDC00 || low >= 0xE000 {
				return true
			}
			i += 6
		}
	}
	return false
}

func hex4(b []byte) (unit rune) {
	for _, c := range b[:4] {
		switch {
		case c <= '9':
			c -= '0'
		case c <= 'F':
			c -= 'A' - 10
		default:
			c -= 'a' - 10
		}
		unit = unit<<4 | rune(c)
	}
	return unit
}
