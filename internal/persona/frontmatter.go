package persona

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"belay/internal/badyaml"
	"belay/internal/lazyregexp"
	"belay/internal/nearest"
)

// frontmatter is what the machine fields of workspace 9.7 said. The zero value
// declares nothing.
type frontmatter struct {
	description string
	model       string
	maxTurns    int
	tools       *[]string
	subagents   []string
	disallowed  []string
	// toolsUnread says that a field about tools could not be read.
	toolsUnread bool
	autoApprove []string
	warnings    []string
}

// maxFrontmatter bounds the YAML that is parsed, in bytes.
const maxFrontmatter = 64 << 10

// split separates frontmatter from body. The block begins with a line --- at the
// very start and ends with another, which may be the last line of the file
// without a newline. open reports a block that never ends; then everything is
// body.
func split(text string) (block, body string, open bool) {
	first, rest, found := strings.Cut(text, "\n")
	if !isRule(first) || !found {
		return "", text, false
	}
	start := len(first) + 1
	for at := start; at <= len(text); {
		line := text[at:]
		next := len(text) + 1
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], at+i+1
		}
		if isRule(line) {
			return rest[:at-start], text[min(next, len(text)):], false
		}
		at = next
	}
	return "", text, true
}

// isRule reports a line of three hyphens, with or without CR and blanks after.
func isRule(line string) bool { return strings.TrimRight(line, " \t\r") == "---" }

// misplaced reports whether a file without a block has near its beginning what somebody meant as
// one, and says there which tools the agent has: after blank or other lines, with more hyphens,
// or with lines that end otherwise. What would be read of it in the first line counts here.
func misplaced(text string) bool {
	text = strings.ReplaceAll(text[:min(len(text), maxFrontmatter)], "\r", "\n")
	lines := strings.Split(text, "\n")
	for i, line := range lines[:min(len(lines), meantWithin)] {
		if line = strings.TrimSpace(line); !fenced.MatchString(line) {
			continue
		}
		block, _, _ := strings.Cut(strings.Join(lines[i+1:], "\n"), "\n"+line[:3])
		f, whole := readFrontmatter(block)
		return f.tools != nil || f.toolsUnread || len(f.disallowed) > 0 || !whole && toolsLine.MatchString(block)
	}
	return false
}

// meantWithin is in how many lines a block may begin that is misplaced, and fenced is a line
// with which it may.
const meantWithin = 20

var fenced = lazyregexp.New(`^(---+|\+\+\+)\s*[a-z]*$`)

// toolsLine is a line of a block that says which tools an agent has, or has not.
var toolsLine = lazyregexp.New(`(?m)(^|[{,])[ \t"']*(disallowed[-_])?tools[ \t"']*[:=]`)

// parseFrontmatter reads the block. YAML that does not parse declares nothing; a
// field of the wrong type is left out. What cannot be read must not widen what an agent may
// do: where it is about tools, the agent has none.
func parseFrontmatter(block string) frontmatter {
	f, whole := readFrontmatter(block)
	if !whole && toolsLine.MatchString(block) || f.toolsUnread {
		f.takeTools()
	}
	return f
}

func (f *frontmatter) takeTools() {
	f.tools = &[]string{}
	f.warn("the agent has no tools until its frontmatter can be read")
}

// readFrontmatter reads the block, and reports whether all of it could be read as YAML.
func readFrontmatter(block string) (f frontmatter, whole bool) {
	if len(block) > maxFrontmatter {
		f.warn("frontmatter is larger than %d bytes and is ignored", maxFrontmatter)
		return f, false
	}
	var doc yaml.Node
	loader, err := yaml.NewLoader(strings.NewReader(block))
	if err == nil {
		err = loader.Load(&doc)
	}
	if errors.Is(err, io.EOF) {
		return f, true // nothing but comments
	}
	if err != nil {
		at := badyaml.Find(err, []byte(block))
		f.warn("frontmatter is not YAML and is ignored: line %d: %s", max(at.Line, 1)+1, oneLine(at.Message))
		return f, false
	}
	top := &doc
	if doc.Kind == yaml.DocumentNode {
		if len(doc.Content) == 0 {
			return f, true
		}
		top = doc.Content[0]
	}
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return f, true
	}
	if top.Kind != yaml.MappingNode {
		f.warn("frontmatter is not a mapping and is ignored")
		return f, false
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key := strings.ReplaceAll(top.Content[i].Value, "-", "_")
		if seen[key] {
			return frontmatter{warnings: []string{fmt.Sprintf("frontmatter has %q twice and is ignored", key)}}, false
		}
		seen[key] = true
		f.set(key, top.Content[i+1])
	}
	return f, true
}

// fieldNames are the keys that set knows.
var fieldNames = []string{"description", "model", "max_turns", "tools", "subagents", "disallowed_tools", "auto_approve_tools"}

// set takes one field. Unknown keys belong to somebody else, unless they resemble a known one:
// then they are misspelt.
func (f *frontmatter) set(key string, v *yaml.Node) {
	switch key {
	case "description":
		if v.Kind == yaml.ScalarNode && v.Tag != "!!null" {
			f.description = oneLine(v.Value)
		}
	case "model":
		if v.Kind == yaml.ScalarNode && v.Tag == "!!str" {
			f.model = trim(v.Value)
		} else if v.Tag != "!!null" {
			f.warn("model is not a string and is ignored")
		}
	case "max_turns":
		n, err := strconv.Atoi(v.Value)
		if v.Kind == yaml.ScalarNode && v.Tag == "!!int" && err == nil && n > 0 {
			f.maxTurns = n
		} else {
			f.warn("max_turns is not a positive whole number and is ignored")
		}
	case "tools":
		list := f.list(key, v)
		f.tools = &list
	case "subagents":
		for _, name := range f.list(key, v) {
			ids := canonical(name)
			if ids == nil {
				f.warn("subagents: %q cannot be the name of a persona and is ignored", name)
			} else if !slices.Contains(f.subagents, ids[0]) {
				f.subagents = append(f.subagents, ids[0])
			}
		}
	case "disallowed_tools":
		before := len(f.warnings)
		f.disallowed = f.list(key, v)
		f.toolsUnread = f.toolsUnread || len(f.warnings) > before
	case "auto_approve_tools":
		f.autoApprove = f.list(key, v)
	case "<<":
		f.warn("merge keys (<<) are not read")
		f.toolsUnread = true // what is merged may say which the agent has
	default:
		if meant := nearest.Of(strings.ToLower(key), fieldNames); meant != "" {
			f.warn("%q is not a field and is ignored; did you mean %s?", oneLine(key), meant)
			f.toolsUnread = f.toolsUnread || meant == "tools" || meant == "disallowed_tools"
		}
	}
}

// list reads "a, b", [a, b] or a block list; blanks are dropped. The result is
// never nil.
func (f *frontmatter) list(key string, v *yaml.Node) []string {
	out := []string{}
	add := func(s string) {
		if s = trim(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	switch {
	case v.Kind == yaml.ScalarNode && v.Tag == "!!str":
		for s := range strings.SplitSeq(v.Value, ",") {
			add(s)
		}
	case v.Kind == yaml.ScalarNode && v.Tag == "!!null":
	case v.Kind == yaml.SequenceNode:
		for _, item := range v.Content {
			if item.Kind == yaml.ScalarNode && item.Tag == "!!str" {
				add(item.Value)
			} else if item.Tag != "!!null" {
				f.warn("%s: an item in line %d is not a string and is ignored", key, item.Line)
			}
		}
	default:
		f.warn("%s is neither a list nor a comma-separated string and counts as empty", key)
	}
	return out
}

func (f *frontmatter) warn(format string, args ...any) {
	f.warnings = append(f.warnings, fmt.Sprintf(format, args...))
}

// oneLine folds white space and drops control characters, for text that is shown
// in one line of a terminal.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}
