package authored

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

// isJSON tells by the name, or by the content: YAML reads most JSON, too, but not
// all of its escapes.
func isJSON(name string, data []byte) bool {
	return strings.HasSuffix(name, ".json") || json.Valid(bytes.TrimPrefix(data, []byte("\ufeff")))
}

func parseJSON(data []byte, r *Report) *Node {
	j := &jsonReader{report: r, data: data, left: MaxNodes}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		j.data = data[len("\ufeff"):]
	}
	j.dec = jsontext.NewDecoder(bytes.NewReader(j.data), jsontext.AllowDuplicateNames(true))
	n := j.value(1)
	if j.failed {
		return nil
	}
	if _, err := j.dec.ReadToken(); !isEOF(err) {
		j.fail(j.dec.InputOffset(), "there is something after the end of the value", "remove it")
		return nil
	}
	return n
}

// jsonReader makes nodes of JSON.
type jsonReader struct {
	report *Report
	data   []byte
	dec    *jsontext.Decoder
	left   int
	failed bool
	// at, line and column are the last place that was asked for.
	at           int64
	line, column int
}

func (j *jsonReader) fail(offset int64, message, hint string) {
	if !j.failed {
		line, column := j.place(offset)
		j.report.add(Problem{Rule: RuleSyntax, Line: line, Column: column, Message: message, Hint: hint})
	}
	j.failed = true
}

// notJSON is the next step after what people do most: YAML in a file that is named as
// JSON, and what other languages take.
func (j *jsonReader) notJSON() string {
	if start := bytes.TrimSpace(j.data); len(start) > 0 && start[0] != '{' && start[0] != '[' {
		return "a file whose name ends in .json is read as JSON; give one of YAML a name that ends in .yaml"
	}
	return "JSON takes double quotes only, no comments, and no comma before } or ]"
}

// place is where an offset is; offsets are asked for in their order.
func (j *jsonReader) place(offset int64) (line, column int) {
	if j.line == 0 || offset < j.at {
		j.at, j.line, j.column = 0, 1, 1
	}
	for j.at < offset && int(j.at) < len(j.data) {
		if j.data[j.at] == '\n' {
			j.line, j.column = j.line+1, 1
			j.at++
			continue
		}
		_, size := utf8.DecodeRune(j.data[j.at:])
		j.at += int64(size)
		j.column++
	}
	return j.line, j.column
}

// broken reports an error of the decoder.
func (j *jsonReader) broken(err error) {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		j.fail(syntax.ByteOffset, "it is not valid JSON: "+syntax.Err.Error(), j.notJSON())
	} else {
		j.fail(j.dec.InputOffset(), "it is not valid JSON: it ends too early", "close what is open")
	}
}

// bracket reads one.
func (j *jsonReader) bracket() {
	if j.failed {
		return
	}
	if _, err := j.dec.ReadToken(); err != nil {
		j.broken(err)
	}
}

// scalar reads anything but an array or object; a text is without quotes.
func (j *jsonReader) scalar() (text string, start int64) {
	raw, err := j.dec.ReadValue()
	if err != nil {
		j.broken(err)
		return "", 0
	}
	start = j.dec.InputOffset() - int64(len(raw))
	if raw.Kind() == '"' {
		b, _ := jsontext.AppendUnquote(nil, raw) // the decoder has taken it
		return string(b), start
	}
	return string(raw), start
}

func (j *jsonReader) value(depth int) *Node {
	if j.failed {
		return nil
	}
	if j.left--; j.left < 0 {
		j.fail(j.dec.InputOffset(), "the file has too many values", "")
		return nil
	}
	if depth > MaxDepth {
		j.fail(j.dec.InputOffset(), "values are nested too deep", "")
		return nil
	}
	n := &Node{}
	kind := j.dec.PeekKind()
	if kind == '{' || kind == '[' {
		j.bracket()
		n.Line, n.Column = j.place(j.dec.InputOffset() - 1)
	}
	switch kind {
	case '[':
		n.Kind = List
		for !j.failed && j.dec.PeekKind() != ']' {
			n.Items = append(n.Items, j.value(depth+1))
		}
		j.bracket()
		return n
	case '{':
		n.Kind = Map
		j.fields(n, depth)
		return n
	}
	text, start := j.scalar()
	if j.failed {
		return nil
	}
	n.Text = text
	n.Line, n.Column = j.place(start)
	switch kind {
	case 'n':
		n.Kind, n.Text = Null, ""
	case 't', 'f':
		n.Kind = Bool
	case '"':
		n.Kind = Text
	case '0':
		n.Kind = Int
		if strings.ContainsAny(text, ".eE") {
			n.Kind = Float
		}
	}
	return n
}

func (j *jsonReader) fields(n *Node, depth int) {
	names := map[string]bool{}
	for !j.failed && j.dec.PeekKind() != '}' {
		key, start := j.scalar()
		if j.failed {
			return
		}
		line, column := j.place(start)
		v := j.value(depth + 1)
		if names[key] {
			j.report.add(Problem{Rule: RuleSyntax, Line: line, Column: column, Message: "\"" + key + "\" is given twice"})
			continue
		}
		names[key] = true
		n.Fields = append(n.Fields, Field{key, line, column, v})
	}
	j.bracket()
}
