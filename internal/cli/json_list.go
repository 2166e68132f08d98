package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// writeJSONList is [console.writeJSON] of a value whose list of that name, a member of
// its own with nothing in it, is to hold the elements of all. They are encoded one by
// one: the report on a large project would otherwise be in memory three times.
func writeJSONList[T any](c *console, v any, name string, all []T) error {
	const margin = "  "
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", margin)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	// No string holds a line break as it is, so this is the member itself.
	before, after, ok := bytes.Cut(bytes.Clone(b.Bytes()), []byte("\n"+margin+`"`+name+`": []`))
	if !ok {
		return errors.New("encode the answer: the list " + name + " is not there, or not empty")
	}
	b.Reset()
	fmt.Fprintf(&b, "%s\n%s%q: [", before, margin, name)
	e.SetIndent(margin+margin, margin)
	for i := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + margin + margin)
		if err := e.Encode(&all[i]); err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
		b.Truncate(b.Len() - 1) // the line break after it
		if b.Len() >= pieceOfList {
			c.write(b.String())
			b.Reset()
		}
	}
	if len(all) > 0 {
		b.WriteString("\n" + margin)
	}
	c.write(b.String() + "]" + string(after))
	return nil
}

// pieceOfList is how many bytes of a list are written at once.
const pieceOfList = 64 << 10
