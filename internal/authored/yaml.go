package authored

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v4"

	"belay/internal/badyaml"
)

// Parse reads a file; name is for errors. A file whose name ends with .json, or that
// is JSON, is read as that, any other as YAML with one document; anchors, aliases and << are
// resolved. The error is an [*Error]. An empty file is a [Null].
func Parse(name string, data []byte) (*Node, error) {
	r := &Report{}
	switch {
	case len(data) > MaxBytes:
		r.Beyond(RuleSyntax, nil, "", "", "the file has %d bytes, more than the %d that are taken", len(data), MaxBytes)
	case isJSON(name, data):
		n := parseJSON(data, r)
		return n, r.Err(name)
	default:
		n := parseYAML(data, r)
		return n, r.Err(name)
	}
	return nil, r.Err(name)
}

func parseYAML(data []byte, r *Report) *Node {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		r.Beyond(RuleSyntax, nil, "", "", "%v", err)
		return nil
	}
	var doc, more yaml.Node
	switch err := loader.Load(&doc); {
	case isEOF(err):
		return &Node{Kind: Null, Line: 1, Column: 1}
	case err != nil:
		at := badyaml.Find(err, data)
		r.add(Problem{Rule: RuleSyntax, Line: max(at.Line, 1), Column: max(at.Column, 1), Message: "it is not valid YAML: " + at.Message, Hint: at.Hint})
		return nil
	}
	if err := loader.Load(&more); !isEOF(err) {
		r.add(Problem{Rule: RuleSyntax, Line: max(more.Line, 1), Column: max(more.Column, 1), Message: "the file has more than one document", Hint: "remove what follows the line ---"})
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return &Node{Kind: Null, Line: 1, Column: 1}
	}
	t := &treeMaker{report: r, left: MaxNodes}
	return t.node(doc.Content[0], 1)
}

// treeMaker makes nodes of YAML's.
type treeMaker struct {
	report *Report
	left   int // how many more nodes there may be
	open   []*yaml.Node
	full   bool
}

func (t *treeMaker) fail(y *yaml.Node, hint, format string, args ...any) {
	t.report.add(Problem{Rule: RuleSyntax, Line: y.Line, Column: y.Column, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (t *treeMaker) node(y *yaml.Node, depth int) *Node {
	n := &Node{Line: y.Line, Column: y.Column}
	if t.left--; t.left < 0 {
		if !t.full {
			t.full = true
			t.fail(y, "use fewer aliases", "the file has more than %d values, repeated ones counted", MaxNodes)
		}
		return n
	}
	if depth > MaxDepth {
		t.fail(y, "", "values are nested deeper than %d", MaxDepth)
		return n
	}
	switch y.Kind {
	case yaml.AliasNode:
		for _, o := range t.open {
			if o == y.Alias {
				t.fail(y, "", "the alias *%s stands inside of what it names", y.Value)
				return n
			}
		}
		t.open = append(t.open, y.Alias)
		n = t.node(y.Alias, depth)
		t.open = t.open[:len(t.open)-1]
	case yaml.SequenceNode:
		n.Kind = List
		for _, c := range y.Content {
			n.Items = append(n.Items, t.node(c, depth+1))
		}
	case yaml.MappingNode:
		t.mapping(n, y, depth)
	case yaml.ScalarNode:
		t.scalar(n, y)
	case yaml.DocumentNode, yaml.StreamNode:
		t.fail(y, "", "this is no value")
	}
	return n
}

func (t *treeMaker) mapping(n *Node, y *yaml.Node, depth int) {
	n.Kind = Map
	var merged []*Node
	index := map[string]bool{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			hint := ""
			if key.Kind == yaml.MappingNode && key.Style&yaml.FlowStyle != 0 { // {{ .x }} is a mapping in a mapping
				hint = `put a value that begins with {{ in quotes: "{{ … }}"`
			}
			t.fail(key, hint, "the name of a field must be text")
		case key.Tag == "!!merge":
			merged = append(merged, t.merged(value, depth)...)
		case index[key.Value]:
			t.fail(key, "keep one of them", "%q is given twice", key.Value)
		default:
			index[key.Value] = true
			n.Fields = append(n.Fields, Field{key.Value, key.Line, key.Column, t.node(value, depth+1)})
		}
	}
	for _, m := range merged { // what stands in the mapping itself wins
		for _, f := range m.Fields {
			if !index[f.Name] {
				index[f.Name] = true
				n.Fields = append(n.Fields, f)
			}
		}
	}
}

// merged are the mappings that << names.
func (t *treeMaker) merged(y *yaml.Node, depth int) []*Node {
	n := t.node(y, depth+1)
	all := []*Node{n}
	if n.Kind == List {
		all = n.Items
	}
	for _, m := range all {
		if m.Kind != Map {
			t.fail(y, "", "<< takes a mapping, or a list of them")
			return nil
		}
	}
	return all
}

func (t *treeMaker) scalar(n *Node, y *yaml.Node) {
	n.Text = y.Value
	switch y.ShortTag() {
	case "!!null":
		n.Kind, n.Text = Null, ""
	case "!!bool":
		n.Kind = Bool
	case "!!int":
		n.Kind = Int
	case "!!float":
		n.Kind = Float
	case "!!str", "!!timestamp": // a date is what it looks like
		n.Kind = Text
	default:
		n.Kind = Text
		t.fail(y, "remove the tag", "values of type %s are not taken", y.ShortTag())
	}
}
