package persona

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"belay/internal/lazyregexp"
	markdown "belay/internal/workspace/document"
	"belay/internal/workspace/finding"
)

// Lint holds an instruction file against the specification. File is its path below
// the root, such as "agents/AGENT_TASK.md". What only other files can show, such as
// whether a subagent exists, is looked at by [Root.Lint].
func Lint(file string, data []byte) []finding.Finding {
	l := newLinter(file, data)
	l.frontmatter()
	l.header()
	l.table()
	l.sections()
	finding.Sort(l.found)
	return l.found
}

// linter looks at one file. Lines are those of the whole file, from 0.
type linter struct {
	file  string
	text  *markdown.Document
	front string
	// open is set when the frontmatter does not end; body is its first line.
	open  bool
	body  int
	found []finding.Finding
	// declared is the type in the line AGENT_TYPE.
	declared Type
}

func newLinter(file string, data []byte) *linter {
	l := &linter{file: file}
	if !utf8.Valid(data) {
		l.find(&ruleNotText, 0, "the file is not UTF-8")
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	var rest string
	l.front, rest, l.open = split(text)
	// What stands before the body makes up its first lines.
	l.body = strings.Count(text[:len(text)-len(rest)], "\n")
	l.text = markdown.Parse([]byte(text))
	return l
}

// find adds a finding about a line, from 1; 0 is the whole file.
func (l *linter) find(rule *finding.Rule, line int, format string, args ...any) {
	l.found = append(l.found, rule.At(l.file, line, format, args...))
}

func (l *linter) frontmatter() {
	if l.open {
		l.find(&ruleFrontmatter, 1, "frontmatter begins with --- but never ends; the file is taken as body")
	}
	for _, w := range parseFrontmatter(l.front).warnings {
		l.find(&ruleFrontmatter, 1, "%s", w)
	}
}

// prose yields the lines of the body that are neither code nor comment, with their
// numbers.
func (l *linter) prose() func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		comment := false
		for i := l.body; i < l.text.Len(); i++ {
			line := l.text.Line(i)
			if !comment && (l.text.Fenced(i) || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) {
				continue
			}
			if line, comment = uncomment(line, comment); strings.TrimSpace(line) != "" && !yield(i, line) {
				return
			}
		}
	}
}

var title = lazyregexp.New(`^AGENT INSTRUCTIONS\s*(?:—|–|-+)\s*([^()]*?)\s*(?:\(.*)?$`)

// header looks at the marker, the heading and the line AGENT_TYPE (9.1).
func (l *linter) header() {
	marked, typed := false, false
	for i, line := range l.prose() {
		if strings.TrimSpace(line) == "[[DOC:AGENT_INSTRUCTIONS]]" {
			marked = true
		}
		if m := headerLine.FindStringSubmatch(line); m != nil && m[1] == "AGENT_TYPE" && !typed {
			typed = true
			if l.declared = agentType(m[2]); l.declared == "" {
				l.find(&ruleType, i+1, "AGENT_TYPE is %q, not 0, 1 or 2", finding.Shown(m[2]))
			}
		}
	}
	if !marked {
		l.find(&ruleMarker, 0, "the line [[DOC:AGENT_INSTRUCTIONS]] is missing")
	}
	if !typed {
		l.find(&ruleType, 0, "the line AGENT_TYPE is missing")
	}
	for _, h := range l.text.Headings() {
		if h.Level != 1 || h.Line < l.body {
			continue
		}
		m := title.FindStringSubmatch(h.Text)
		id := idOf(strings.TrimPrefix(l.file, agentsDir))
		switch {
		case m == nil || m[1] == "":
			l.find(&ruleHeading, h.Line+1, "the heading is %q", finding.Shown(h.Text))
		case id != "" && m[1] != id:
			l.find(&ruleName, h.Line+1, "the heading names %q, the file %s", finding.Shown(m[1]), id)
		}
		return
	}
	l.find(&ruleHeading, 0, "there is no heading of level 1")
}

// marks are the sections that every file has (9.3).
var marks = []string{"PROTOCOL", "SPEC", "STRUCTURE", "RATIONALE"}

var mark = lazyregexp.New(`^\s*\[\[(BEGIN|END):([A-Z_]+)\]\]\s*$`)

// sections looks at the marks of the sections.
func (l *linter) sections() {
	begun, ended := map[string]int{}, map[string]int{}
	open := ""
	for i, line := range l.prose() {
		m := mark.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		switch name := m[2]; {
		case m[1] == "BEGIN" && begun[name] > 0:
			l.find(&ruleSections, i+1, "%s begins again; it began in line %d", name, begun[name])
		case m[1] == "BEGIN" && open != "":
			l.find(&ruleSections, i+1, "%s begins inside %s", name, open)
			begun[name], open = i+1, name
		case m[1] == "BEGIN":
			begun[name], open = i+1, name
		case ended[name] > 0:
			l.find(&ruleSections, i+1, "%s ends again; it ended in line %d", name, ended[name])
		case begun[name] == 0:
			l.find(&ruleSections, i+1, "%s ends, but has not begun", name)
			ended[name] = i + 1
		default:
			ended[name] = i + 1
			if open == name {
				open = ""
			}
		}
	}
	for _, name := range marks {
		switch {
		case begun[name] == 0 && ended[name] == 0:
			l.find(&ruleSection, 0, "the section %s is missing", name)
		case ended[name] == 0:
			l.find(&ruleSection, begun[name], "the section %s does not end", name)
		}
	}
}
