package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"belay/internal/durable"
)

// Edit changes one setting in the user's file: to a value, written as in the file, or with
// nil back to its default. Comments and the order of the file stay; the file and its folder
// are made where they are missing. A link keeps pointing to the file, which is replaced.
//
// It returns the file's path, and problems instead of a change where the setting does not
// exist, does not take the value, or the file cannot be read. Edits of one file, by any
// process, follow each other; ctx ends the wait.
func Edit(ctx context.Context, o Options, key string, value *string) (path string, problems []Problem, err error) {
	l, asked := newLayers(o)
	if l.file == "" {
		return "", []Problem{{Key: key, Message: "there is no file for settings, as the home folder is not known", Hint: "name one with --config"}}, nil
	}
	if !isSetting(key) {
		return l.file, []Problem{UnknownSetting(key)}, nil
	}
	// First without the lock: a refused value leaves no trace.
	if _, problems, err := l.edited(asked, key, value); err != nil || len(problems) > 0 {
		return l.file, problems, err
	}
	unlock, err := alone(ctx, l.file)
	if err != nil {
		return l.file, nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	data, problems, err := l.edited(asked, key, value)
	if err != nil || len(problems) > 0 {
		return l.file, problems, err
	}
	return l.file, nil, keep(l.file, data)
}

// edited is the user's file with the setting changed, or what is wrong with that. A file
// that was asked for must exist.
func (l *layers) edited(asked bool, key string, value *string) (data []byte, problems []Problem, err error) {
	data, _, err = durable.ReadFile(nil, l.file, maxFile)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		data, err = nil, nil
	}
	// What is wrong with the file itself, and not with one of its settings, is not written over.
	f := parsed(l.file, data, err)
	if whole := slices.DeleteFunc(f.problems, func(p Problem) bool { return p.Key != "" }); len(whole) > 0 {
		return nil, whole, nil
	}
	data, err = withSetting(data, strings.Split(key, "."), value)
	if err != nil {
		return nil, []Problem{{Where: l.file, Key: key, Message: err.Error()}}, nil
	}
	l.user = parsed(l.file, data, nil)
	_, found := l.build(nil)
	for _, p := range found {
		if p.Key == key && strings.HasPrefix(p.Where, l.file) {
			p.Where = ""
			problems = append(problems, p)
		}
	}
	return data, problems, nil
}

// UnknownSetting is the problem of a key that no setting has.
func UnknownSetting(key string) Problem {
	if isKeyMaterial(key) {
		return Problem{Key: clean(key), Message: keysInFiles, Hint: hintKeys}
	}
	return Problem{Key: clean(key), Message: "is not a setting", Hint: suggest(key)}
}

// alone waits until no other edit of the file is under way. The lock is a file beside it:
// the folder of locks may lie where the setting to be edited says.
func alone(ctx context.Context, file string) (unlock func() error, err error) {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	root, err := openFolder(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	if err := root.Close(); err != nil {
		return nil, err
	}
	l, err := durable.WaitLock(ctx, file+".lock")
	if err != nil {
		return nil, err
	}
	return l.Unlock, nil
}

// keep replaces the file, also through a link.
func keep(file string, data []byte) error {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	root, err := openFolder(filepath.Dir(file))
	if err != nil {
		return err
	}
	perm := fs.FileMode(0o600)
	if info, err := root.Stat(filepath.Base(file)); err == nil {
		perm = info.Mode().Perm()
	}
	return errors.Join(durable.WriteFile(root, filepath.Base(file), data, perm, durable.Settings), root.Close())
}

// openFolder opens a folder. It makes it, and the missing ones above it, so that they
// survive a power cut.
func openFolder(dir string) (_ *os.Root, err error) {
	above := dir
	for above != filepath.Dir(above) {
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		above = filepath.Dir(above)
	}
	root, err := os.OpenRoot(above)
	if err != nil || above == dir {
		return root, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	rel, err := filepath.Rel(above, dir)
	if err != nil {
		return nil, err
	}
	rel = filepath.ToSlash(rel)
	if err := durable.MkdirAll(root, rel, 0o700); err != nil {
		return nil, err
	}
	for at := slashpath.Dir(rel); ; at = slashpath.Dir(at) {
		if err := durable.FlushDir(root, at, durable.Settings); err != nil {
			return nil, err
		}
		if at == "." {
			return os.OpenRoot(dir)
		}
	}
}

// withSetting is a file's text with another value at the end of a path of keys.
func withSetting(data []byte, path []string, value *string) ([]byte, error) {
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
	if value == nil {
		removeKey(doc.Content[0], path)
	} else {
		node, err := valueNode(*value)
		if err != nil {
			return nil, err
		}
		if err := setKey(doc.Content[0], path, node); err != nil {
			return nil, err
		}
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
