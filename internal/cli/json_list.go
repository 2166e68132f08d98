package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// jsonList prints a report as a JSON object, of which one member is a long list: it
// comes first, each element as soon as it is there, and the other members follow.
type jsonList struct {
	c     *console
	name  string
	b     bytes.Buffer
	begun bool
	err   error
}

// Indents of the object's members, and of the list's elements.
const (
	memberMargin  = "  "
	elementMargin = memberMargin + memberMargin
)

// pieceOfList is how many bytes of a list are written at once.
const pieceOfList = 64 << 10

// add prints an element.
func (l *jsonList) add(v any) {
	if l.err != nil {
		return
	}
	if !l.begun {
		fmt.Fprintf(&l.b, "{\n%s%q: [\n%s", memberMargin, l.name, elementMargin)
		l.begun = true
	} else {
		l.b.WriteString(",\n" + elementMargin)
	}
	l.encode(elementMargin, v)
	if l.b.Len() >= pieceOfList {
		l.c.write(l.b.String())
		l.b.Reset()
	}
}

func (l *jsonList) encode(margin string, v any) {
	e := json.NewEncoder(&l.b)
	e.SetEscapeHTML(false)
	e.SetIndent(margin, memberMargin)
	if err := e.Encode(v); err != nil {
		l.err = fmt.Errorf("encode the answer: %w", err)
		return
	}
	l.b.Truncate(l.b.Len() - 1) // the line break after it
}

// end prints the other members of the report, which has the list as an empty one.
func (l *jsonList) end(report any) error {
	if !l.begun {
		return l.c.writeJSON(report)
	}
	if l.err != nil {
		return l.err
	}
	l.c.write(l.b.String() + "\n" + memberMargin + "],\n")
	l.b.Reset()
	l.encode("", report)
	// No string holds a line break as it is, so this is the member itself.
	member := memberMargin + `"` + l.name + `": []`
	rest, last := bytes.Replace(l.b.Bytes(), []byte("\n"+member+","), nil, 1), []byte(",\n"+member+"\n}")
	if len(rest) == l.b.Len() && bytes.HasSuffix(rest, last) {
		rest = append(bytes.Clone(bytes.TrimSuffix(rest, last)), "\n}"...)
	}
	if len(rest) == l.b.Len() || l.err != nil {
		return errors.Join(errors.New("encode the answer: the list "+l.name+" is not there, or not empty"), l.err)
	}
	l.c.write(string(bytes.TrimPrefix(rest, []byte("{\n"))) + "\n")
	return nil
}
