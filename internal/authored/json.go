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
		j.fail(j.dec.InputOffset(), "there is something behind the end of the value", "remove it")
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

// next reads a token and notes where it begins.
func (j *jsonReader) next() (tok jsontext.Token, line, column int, ok bool) {
	if j.failed {
		return tok, 0, 0, false
	}
	tok, err := j.dec.ReadToken()
	if err != nil {
		var syntax *jsontext.SyntacticError
		switch {
		case errors.As(err, &syntax):
			j.fail(syntax.ByteOffset, "it is not valid JSON: "+syntax.Err.Error(), j.notJSON())
		default:
			j.fail(j.dec.InputOffset(), "it is not valid JSON: it ends too early", "close what is open")
		}
		return tok, 0, 0, false
	}
	// The decoder stands behind the token; where it is long is known from its text.
	start := j.dec.InputOffset()
	switch tok.Kind() {
	case '{', '}', '[', ']':
		start--
	case 'n', 't':
		start -= 4
	case 'f':
		start -= 5
	case '0', '"':
		start = j.begin(start)
	}
	line, column = j.place(start)
	return tok, line, column, true
}

// begin is where the string or number that ends at end begins.
func (j *jsonReader) begin(end int64) int64 {
	if j.data[end-1] != '"' {
		i := end
		for i > 0 && bytes.IndexByte([]byte("+-.eE0123456789"), j.data[i-1]) >= 0 {
			i--
		}
		return i
	}
	for i := end - 2; i >= 0; i-- {
		if j.data[i] != '"' {
			continue
		}
		slashes := 0
		for k := i - 1; k >= 0 && j.data[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
	return 0
}

func (j *jsonReader) value(depth int) *Node {
	tok, line, column, ok := j.next()
	if !ok {
		return nil
	}
	n := &Node{Line: line, Column: column}
	if j.left--; j.left < 0 {
		j.fail(j.dec.InputOffset(), "the file has too many values", "")
		return nil
	}
	if depth > MaxDepth {
		j.fail(j.dec.InputOffset(), "values are nested too deep", "")
		return nil
	}
	switch tok.Kind() {
	case 'n':
		n.Kind = Null
	case 't', 'f':
		n.Kind, n.Text = Bool, tok.String()
	case '"':
		n.Kind, n.Text = Text, tok.String()
	case '0':
		n.Kind, n.Text = Int, tok.String()
		if bytes.ContainsAny([]byte(n.Text), ".eE") {
			n.Kind = Float
		}
	case '[':
		n.Kind = List
		for !j.failed && j.dec.PeekKind() != ']' {
			n.Items = append(n.Items, j.value(depth+1))
		}
		j.next()
	case '{':
		n.Kind = Map
		j.fields(n, depth)
	}
	return n
}

func (j *jsonReader) fields(n *Node, depth int) {
	names := map[string]bool{}
	for !j.failed && j.dec.PeekKind() != '}' {
		name, line, column, ok := j.next()
		if !ok {
			return
		}
		key := name.String() // valid until the next token
		v := j.value(depth + 1)
		if names[key] {
			j.report.add(Problem{Rule: RuleSyntax, Line: line, Column: column, Message: "\"" + key + "\" is given twice"})
			continue
		}
		names[key] = true
		n.Fields = append(n.Fields, Field{key, line, column, v})
	}
	j.next()
}
