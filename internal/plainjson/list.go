package plainjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// List writes a JSON object of which one member is a long list. The list comes first, each
// element as it is added, so that it need not be in memory; the other members follow. It
// keeps the first error, and is used by one goroutine.
type List struct {
	w    io.Writer
	name string
	// deep is the indent of one level, "" for JSON in one line.
	deep  string
	b     bytes.Buffer
	begun bool
	err   error
}

// NewList returns a list that is the member name of an object.
func NewList(w io.Writer, name, indent string) *List { return &List{w: w, name: name, deep: indent} }

// pieceOfList is how many bytes are written at once.
const pieceOfList = 64 << 10

// Add writes an element.
func (l *List) Add(v any) {
	if l.err != nil {
		return
	}
	if !l.begun {
		l.b.WriteByte('{')
		l.member(l.name)
		l.b.WriteByte('[')
		l.begun = true
	} else {
		l.b.WriteByte(',')
	}
	l.newLine(2)
	l.value(v, 2)
	if l.b.Len() >= pieceOfList {
		l.flush()
	}
}

// End writes the other members of the object and a line break. The object has the list as
// an empty one.
func (l *List) End(object any) error {
	if !l.begun {
		l.b.WriteByte('{')
		l.member(l.name)
		l.b.WriteString("[]")
	} else {
		l.newLine(1)
		l.b.WriteByte(']')
	}
	if l.err == nil {
		l.err = l.others(object)
	}
	l.newLine(0)
	l.b.WriteString("}\n")
	l.flush()
	return l.err
}

func (l *List) others(object any) error {
	data, err := Marshal(object)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return err
	}
	found := false
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return err
		}
		if name == l.name {
			found = string(v) == "[]"
			continue
		}
		l.b.WriteByte(',')
		l.member(fmt.Sprint(name))
		l.value(v, 1)
	}
	if !found {
		return fmt.Errorf("the list %s is not there, or not empty", l.name)
	}
	return nil
}

// member begins a member of the object.
func (l *List) member(name string) {
	l.newLine(1)
	l.value(name, 1)
	l.b.WriteByte(':')
	if l.deep != "" {
		l.b.WriteByte(' ')
	}
}

func (l *List) newLine(level int) {
	if l.deep == "" {
		return
	}
	l.b.WriteByte('\n')
	for range level {
		l.b.WriteString(l.deep)
	}
}

// value writes a value whose first line stands at so many levels.
func (l *List) value(v any, level int) {
	enc := encoder(&l.b)
	if l.deep != "" {
		margin := ""
		for range level {
			margin += l.deep
		}
		enc.SetIndent(margin, l.deep)
	}
	if err := enc.Encode(v); err != nil {
		l.err = err
		return
	}
	l.b.Truncate(l.b.Len() - 1) // the line break after it
}

func (l *List) flush() {
	if l.err == nil {
		_, l.err = l.b.WriteTo(l.w)
	}
	l.b.Reset()
}
