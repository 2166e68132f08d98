package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v4"
)

// withSetting is a file's text with a change at the end of a path of keys.
func withSetting(data []byte, path []string, how change) ([]byte, error) {
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
	e, err := yaml.NewDumper(&out, yaml.WithIndent(2))
	if err != nil {
		return nil, err
	}
	err = errors.Join(e.Dump(&doc), e.Close())
	return out.Bytes(), err
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

// setKey puts a value at a path below a mapping, and makes the sections on the way.
func setKey(n *yaml.Node, path []string, value *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("stands below something that is no section")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != path[0] {
			continue
		}
		if len(path) > 1 && !isNull(n.Content[i+1]) {
			return setKey(n.Content[i+1], path[1:], value)
		}
		old := n.Content[i+1]
		value = nested(path[1:], value)
		value.LineComment = old.LineComment
		n.Content[i+1] = value
		return nil
	}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: path[0]}, nested(path[1:], value))
	return nil
}

// appendTo adds entries to the list at a path below a mapping, which is made where there
// is none.
func appendTo(n *yaml.Node, path []string, entries []string) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("stands below something that is no section")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != path[0] || isNull(n.Content[i+1]) {
			continue
		}
		if len(path) > 1 {
			return appendTo(n.Content[i+1], path[1:], entries)
		}
		return addEntries(n.Content[i+1], entries)
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

// removeKey removes what a path leads to, and the sections that are empty without it. It
// reports whether the mapping is empty then.
func removeKey(n *yaml.Node, path []string) bool {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != path[0] {
			continue
		}
		if len(path) == 1 || removeKey(n.Content[i+1], path[1:]) {
			n.Content = append(n.Content[:i], n.Content[i+2:]...)
		}
		break
	}
	return n.Kind == yaml.MappingNode && len(n.Content) == 0
}
