package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// withSetting is a file's text with a change at the end of a path of keys.
func withSetting(data []byte, path []string, how change) ([]byte, error) {
	unix := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	crlf := len(unix) < len(data) && bytes.Count(data, []byte("\n")) == len(data)-len(unix)
	data = unix
	var doc yaml.Node
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err == nil {
		err = loader.Load(&doc)
	}
	if err != nil && !errors.Is(err, io.EOF) { // EOF is a file of nothing, or of comments
		return nil, fmt.Errorf("is not valid YAML: %s", clean(err.Error()))
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 || isNull(doc.Content[0]) {
		comments := bytes.TrimSpace(data)
		doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}, HeadComment: string(comments)}
	}
	if err := how(doc.Content[0], path); err != nil {
		return nil, err
	}
	if root := doc.Content[0]; len(root.Content) > 0 {
		// What is left of a file without settings is {}, and what is added to it would stay in it.
		root.Style &^= yaml.FlowStyle
	}
	var out bytes.Buffer
	e, err := yaml.NewDumper(&out, yaml.WithIndent(indentOf(doc.Content[0])))
	if err != nil {
		return nil, err
	}
	err = errors.Join(e.Dump(&doc), e.Close())
	text := out.Bytes()
	if crlf { // each line ended so
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text, err
}

// indentOf is by how many columns the first section of a file is indented, 2 where it has none.
func indentOf(root *yaml.Node) int {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if in := value.Column - key.Column; value.Kind == yaml.MappingNode && value.Line > key.Line && in >= 2 && in <= 8 {
			return in
		}
	}
	return 2
}

// begins is how many keys of a path a key of the file stands for: "turn.max_turns" stands for
// two; 0 is another key.
func begins(key string, path []string) int {
	for n := len(path); n > 0; n-- {
		if key == strings.Join(path[:n], ".") {
			return n
		}
	}
	return 0
}

// valueNode is a value as a person writes it in the file.
func valueNode(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Load([]byte(text), &doc); err != nil || len(doc.Content) != 1 {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}, nil // such as "a: b", meant literally
	}
	if doc.Content[0].Kind == yaml.AliasNode || aliased(doc.Content[0]) {
		return nil, errors.New("takes no anchors and aliases")
	}
	return doc.Content[0], nil
}

// find is the value of a setting in a mapping, and where it stands: nil where the file does
// not have it. A file may write it in sections, as "turn.max_turns", or as a mixture.
func find(n *yaml.Node, path []string) (in *yaml.Node, at int) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		switch stands := begins(n.Content[i].Value, path); stands {
		case 0:
		case len(path):
			return n, i + 1
		default:
			if in, at = find(n.Content[i+1], path[stands:]); in != nil {
				return in, at
			}
		}
	}
	return nil, 0
}

// setKey puts a value at a path below a mapping, and makes the sections on the way.
func setKey(n *yaml.Node, path []string, value *yaml.Node) error {
	if in, at := find(n, path); in != nil {
		value.LineComment = in.Content[at].LineComment
		in.Content[at] = value
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return errors.New("stands below something that is no section")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		stands := begins(n.Content[i].Value, path)
		switch section := n.Content[i+1]; {
		case stands == 0:
		case !isNull(section):
			return setKey(section, path[stands:], value)
		default:
			value = nested(path[stands:], value)
			value.LineComment = section.LineComment
			n.Content[i+1] = value
			return nil
		}
	}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: path[0]}, nested(path[1:], value))
	return nil
}

// appendTo adds entries to the list at a path below a mapping, which is made where there
// is none.
func appendTo(n *yaml.Node, path []string, entries []string) error {
	if in, at := find(n, path); in != nil && !isNull(in.Content[at]) {
		return addEntries(in.Content[at], entries)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	if err := addEntries(list, entries); err != nil {
		return err
	}
	return setKey(n, path, list)
}

// addEntries adds to a list what it lacks.
func addEntries(list *yaml.Node, entries []string) error {
	if list.Kind != yaml.SequenceNode {
		return errors.New("is not written as a list")
	}
	for _, entry := range entries {
		if !slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return n.Value == entry }) {
			list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: entry})
		}
	}
	return nil
}

// nested is a value in new sections.
func nested(path []string, value *yaml.Node) *yaml.Node {
	for i := len(path) - 1; i >= 0; i-- {
		value = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: path[i]}, value}}
	}
	return value
}

// removeKey removes what a path leads to, and the sections that are empty without it. The
// comments above stay, with what is next, or are returned where the mapping is empty.
func removeKey(n *yaml.Node, path []string) (comments string, empty bool) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		stands := begins(key.Value, path)
		if stands == 0 {
			continue
		}
		within, gone := "", stands == len(path)
		if !gone {
			within, gone = removeKey(n.Content[i+1], path[stands:])
		}
		if !gone {
			continue
		}
		comments = joined(key.HeadComment, within, key.FootComment)
		n.Content = append(n.Content[:i], n.Content[i+2:]...)
		switch {
		case i < len(n.Content):
			n.Content[i].HeadComment = joined(comments, n.Content[i].HeadComment)
		case i > 0:
			n.Content[i-2].FootComment = joined(n.Content[i-2].FootComment, comments)
		default:
			return comments, true
		}
		return "", false
	}
	return "", n.Kind == yaml.MappingNode && len(n.Content) == 0
}

// joined are comments with a blank line between them.
func joined(comments ...string) string {
	return strings.Join(slices.DeleteFunc(comments, func(c string) bool { return c == "" }), "\n\n")
}
