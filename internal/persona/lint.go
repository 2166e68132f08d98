package persona

import (
	"strings"

	"belay/internal/lazyregexp"
	markdown "belay/internal/workspace/document"
	"belay/internal/workspace/finding"
)

// Lint holds an instruction file against the specification. File is its path below
// the root, such as "agents/AGENT_TASK.md". What only other files can show, such as
// whether a subagent exists, is looked at by [Root.Lint].
func Lint(file string, data []byte) []finding.Finding { return newLinter(file, data).lint() }

func (l *linter) lint() []finding.Finding {
	l.frontmatter()
	l.header()
	l.table()
	l.sections()
	finding.Sort(l.found)
	return l.found
}

// linter looks at one file. Lines are those of the whole file, from 0.
type linter struct {
	file string
	text *markdown.Document
	// fields are those of the frontmatter; open is set where that does not end.
	fields frontmatter
	open   bool
	// body is the first line of the instructions, rest their text; notText is set where
	// bytes of the file were replaced.
	body    int
	rest    string
	notText bool
	found   []finding.Finding
	// declared is the type in the line AGENT_TYPE.
	declared Type
}

func newLinter(file string, data []byte) *linter {
	text := strings.TrimPrefix(string(data), "\uFEFF")
	valid := strings.ToValidUTF8(text, "\uFFFD")
	l := &linter{file: file, text: markdown.Parse([]byte(valid)), notText: valid != text}
	var front string
	front, l.rest, l.open = split(valid)
	l.fields = parseFrontmatter(front)
	switch {
	case l.open && toolsLine.MatchString(l.rest[:min(len(l.rest), maxFrontmatter)]):
		l.fields.takeTools()
	case !l.open && l.rest == valid && misplaced(valid):
		l.fields.warn("frontmatter must begin with --- in the first line; the file is taken as body")
		l.fields.takeTools()
	}
	// What stands before the body makes up its first lines.
	l.body = strings.Count(valid[:len(valid)-len(l.rest)], "\n")
	return l
}

// find adds a finding about a line, from 1; 0 is the whole file.
func (l *linter) find(rule *finding.Rule, line int, format string, args ...any) {
	l.found = append(l.found, rule.At(l.file, line, format, args...))
}

func (l *linter) frontmatter() {
	if l.notText {
		l.find(&ruleNotText, 0, "the file is not UTF-8")
	}
	if l.open {
		l.find(&ruleFrontmatter, 1, "frontmatter begins with --- but never ends; the file is taken as body")
	}
	for _, w := range l.fields.warnings {
		l.find(&ruleFrontmatter, 1, "%s", w)
	}
}

var title = lazyregexp.New(`^AGENT INSTRUCTIONS\s*(?:—|–|-+)\s*([^()]*?)\s*(?:\(.*)?$`)

// header looks at the marker, the heading and the line AGENT_TYPE (9.1).
func (l *linter) header() {
	marked, typed := false, false
	for i, line := range prose(l.text, l.body) {
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
	for i, line := range prose(l.text, l.body) {
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
