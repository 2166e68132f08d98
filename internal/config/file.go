package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"belay/internal/badyaml"
	"belay/internal/durable"
)

// maxFile bounds a configuration file, in bytes.
const maxFile = 1 << 20

// tooLarge and hintSmaller are for a file over that.
var tooLarge = "the file is larger than " + FormatSize(maxFile)

const hintSmaller = "remove what belay does not need from it"

// file is a parsed configuration file: which keys it sets, and where.
type file struct {
	path     string
	dir      string // where its relative paths start
	entries  []entry
	ignored  []ignored // settings of earlier versions
	problems []Problem
}

type entry struct {
	key  string
	node *yaml.Node
}

// readUser reads the user's file. One that is not there is empty, unless it was
// asked for by name. It may be a link to anywhere.
func readUser(path string, asked bool) *file {
	if path == "" {
		return &file{}
	}
	data, _, err := durable.ReadFile(nil, path, maxFile)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		f := &file{path: path}
		if _, lerr := os.Lstat(path); lerr == nil { // without the file that it names, limits and denials would silently be gone
			f.fail(nil, "", "is a link that leads nowhere", "make the file that it names, or remove the link")
		}
		return f
	}
	return parsed(path, data, err)
}

// readProject reads a project's file, which must really lie in the project.
func readProject(dir string) *file {
	if dir == "" {
		return nil
	}
	// Every turn asks, and most projects have none.
	if _, err := os.Lstat(filepath.Join(dir, projectFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // whether the project is usable is not asked here
	}
	defer root.Close()
	data, _, err := durable.ReadFile(root, projectFile, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && strings.Contains(err.Error(), "escapes") { // os.Root has no error for it that can be compared
		f := &file{path: filepath.Join(dir, projectFile)}
		f.fail(nil, "", "is a link that leads out of the project", "put the file itself in its place")
		return f
	}
	return parsed(filepath.Join(dir, projectFile), data, err)
}

func parsed(path string, data []byte, err error) *file {
	f := &file{path: path, dir: filepath.Dir(path)}
	switch {
	case errors.Is(err, durable.ErrTooLarge):
		f.fail(nil, "", tooLarge, hintSmaller)
	case errors.Is(err, durable.ErrNotRegular):
		f.fail(nil, "", "is not a regular file", "name a file of YAML, such as config.yaml")
	case errors.Is(err, fs.ErrNotExist):
		f.fail(nil, "", "the file does not exist", "check the path given with --config or BELAY_CONFIG")
	case err != nil:
		why, hint := err, "check the file, and the folder that it is in"
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			why = at.Err // the problem names the file already
		}
		if errors.Is(err, fs.ErrPermission) {
			hint = "let the user that belay runs as read it"
		}
		f.fail(nil, "", "the file cannot be read: "+why.Error(), hint)
	default:
		f.parse(data)
	}
	return f
}

func (f *file) fail(at *yaml.Node, key, message, hint string) {
	f.problems = append(f.problems, Problem{Where: f.where(at, true), Key: clean(key), Message: message, Hint: hint})
}

// where names a place in the file.
func (f *file) where(at *yaml.Node, column bool) string {
	switch {
	case at == nil || at.Line == 0:
		return f.path
	case column:
		return fmt.Sprintf("%s:%d:%d", f.path, at.Line, at.Column)
	}
	return fmt.Sprintf("%s:%d", f.path, at.Line)
}

// parse collects every key that the file sets and every key that it should not
// have.
func (f *file) parse(data []byte) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		f.syntax(err, data)
		return
	}
	var doc, more yaml.Node
	if err := loader.Load(&doc); errors.Is(err, io.EOF) {
		return // comments only
	} else if err != nil {
		f.syntax(err, data)
		return
	}
	if err := loader.Load(&more); err == nil {
		f.fail(&more, "", "holds a second document", "remove the line ---")
	} else if !errors.Is(err, io.EOF) {
		f.syntax(err, data)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return
	}
	f.walk(doc.Content[0], "", map[string]bool{})
}

// syntax reports what the parser says.
func (f *file) syntax(err error, data []byte) {
	p := badyaml.Find(err, data)
	f.fail(&yaml.Node{Line: p.Line, Column: p.Column}, "", "is not valid YAML: "+clean(p.Message), p.Hint)
}

// walk descends through sections to settings.
func (f *file) walk(n *yaml.Node, prefix string, seen map[string]bool) {
	if n.Kind == yaml.AliasNode {
		f.fail(n, strings.TrimSuffix(prefix, "."), "anchors and aliases are not supported here", "write the value out")
		return
	}
	if n.Kind != yaml.MappingNode {
		f.fail(n, strings.TrimSuffix(prefix, "."), "expects a mapping of settings", "")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		name := prefix + k.Value
		gone, isRemoved := removedSetting(name)
		switch {
		case k.Kind != yaml.ScalarNode || k.Value == "" || k.Value == "<<":
			f.fail(k, "", "is not the name of a setting", "")
		case seen[name]:
			f.fail(k, name, "is there twice", "")
		case isSetting(name):
			seen[name] = true
			if aliased(v) {
				f.fail(v, name, "anchors and aliases are not supported here", "write the value out")
			} else if !isNull(v) { // "key:" with nothing after it sets nothing
				f.entries = append(f.entries, entry{name, v})
			}
		case isRemoved:
			seen[name] = true
			if !isNull(v) {
				f.ignored = append(f.ignored, ignored{gone, k})
			}
		case isSection(name):
			seen[name] = true
			if !isNull(v) {
				f.walk(v, name+".", seen)
			}
		case isKeyMaterial(name):
			f.fail(k, name, keysInFiles, hintKeys)
		default:
			f.fail(k, name, "is not a setting", suggest(name))
		}
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func aliased(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		return true
	}
	return slices.ContainsFunc(n.Content, aliased)
}

const (
	keysInFiles = "API keys and tokens are not read from files"
	hintKeys    = "set ANTHROPIC_API_KEY, OPENAI_API_KEY or BELAY_DISCORD_TOKEN in the environment; token_file names a file with the access token"
)

// isKeyMaterial recognises what people try to put in a file and must not.
func isKeyMaterial(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"api_key", "apikey", "secret", "password", "auth_token"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	section, last, in := strings.Cut(name, ".")
	if !in {
		return name == "token"
	}
	return slices.Contains([]string{"token", "key"}, last) && slices.Contains(keySections, section)
}

// keySections are what has a key or a token: other settings may be called so by mistake.
var keySections = []string{"anthropic", "openai", "discord", "server", "telemetry", "mcp", "bus"}

// scalarOf checks a node's type against what a value takes and returns its text.
func scalarOf(n *yaml.Node, want kind) (string, error) {
	have := map[string]kind{"!!str": scalarString, "!!int": scalarInt, "!!float": scalarFloat, "!!bool": scalarBool}
	switch {
	case n.Kind == yaml.ScalarNode && have[n.Tag]&want != 0:
		return n.Value, nil
	case n.Kind == yaml.ScalarNode && want&scalarString != 0 && want&scalarInt == 0 && have[n.Tag] != 0:
		return "", fmt.Errorf("expects %s; put quotes around %s", want, n.Value)
	case n.Kind == yaml.SequenceNode && want&sequence != 0:
		items := make([]string, len(n.Content))
		for i, item := range n.Content {
			if item.Kind != yaml.ScalarNode || have[item.Tag]&want == 0 || strings.Contains(item.Value, "\n") {
				return "", fmt.Errorf("item %d is not a plain string", i+1)
			}
			items[i] = "\n" + item.Value
		}
		return strings.Join(items, ""), nil
	}
	return "", fmt.Errorf("expects %s", want)
}

// clean makes text from a file fit for one line of a terminal.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return strings.Join(strings.Fields(s), " ")
}
