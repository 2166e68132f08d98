package persona

import (
	"slices"
	"strings"

	"belay/internal/lazyregexp"
	markdown "belay/internal/workspace/document"
	"belay/internal/workspace/finding"
)

// property is a row of the Agent Type table (9.2) and what it may say (9.5).
type property struct {
	name string
	// values are the first words that mean something, in lower case; none is any
	// text. Those in extra are understood and not in the specification.
	values, extra []string
}

var properties = []property{
	{name: "AGENT_TYPE", values: []string{"type"}},
	{name: "AGENT_CLASS", values: []string{"persona", "task"}},
	{name: "INTERACTION_SURFACE", values: []string{"chat", "init-task", "spawned", "both"}},
	{name: "WRITE_SCOPE", extra: []string{"knowledge-type-local"}, values: []string{
		"repo-wide", "project-level", "deliverable-local", "tool-root-only", "workspace-scaffold-only", "repo-metadata-only", "none"}},
	{name: "BLOCKING", values: []string{"never", "allowed"}},
	{name: "PRIMARY_OUTPUTS"},
}

// table looks at the Agent Type table.
func (l *linter) table() {
	section, ok := l.text.Section("Agent Type")
	var tables []markdown.Table
	if ok {
		tables = l.text.Tables(section.First, section.End)
	}
	if len(tables) == 0 {
		l.find(&ruleTable, 0, "there is no Agent Type table")
		return
	}
	rows := map[string]markdown.Row{}
	for _, row := range tables[0].Rows {
		if len(row.Cells) == 0 {
			continue
		}
		name := strings.ToUpper(strings.Trim(row.Cells[0], "*`_ "))
		if _, twice := rows[name]; !twice {
			rows[name] = row
		}
	}
	for _, p := range properties {
		row, ok := rows[p.name]
		if !ok || len(row.Cells) < 2 || strings.Trim(row.Cells[1], "*` ") == "" {
			l.find(&ruleProperty, tables[0].Line+1, "the table has no %s", p.name)
			continue
		}
		l.value(p, strings.Trim(row.Cells[1], "*` "), row.Line+1)
	}
}

var (
	leadingWord = lazyregexp.New(`^[A-Za-z][A-Za-z-]*`)
	remark      = lazyregexp.New(`^\s*(?:$|[(;,—–]|- )`)
)

// value looks at one property.
func (l *linter) value(p property, value string, line int) {
	if p.name == "AGENT_TYPE" {
		switch got := agentType(value); {
		case got == "":
			l.find(&ruleValue, line, "AGENT_TYPE is %q, not TYPE 0, TYPE 1 or TYPE 2", finding.Shown(value))
		case l.declared != "" && got != l.declared:
			l.find(&ruleTypes, line, "the table says %s, the line AGENT_TYPE %s", got, l.declared)
		}
		return
	}
	if len(p.values) == 0 {
		return
	}
	word := leadingWord.FindString(value)
	switch low := strings.ToLower(word); {
	case slices.Contains(p.extra, low):
		l.find(&ruleUnlisted, line, "%s is %s, which is not in the specification", p.name, word)
	case !slices.Contains(p.values, low):
		l.find(&ruleValue, line, "%s is %q; it may be %s", p.name, finding.Shown(value), strings.Join(p.values, ", "))
	case !remark.MatchString(value[len(word):]):
		l.find(&ruleRemark, line, "%s is %q, of which only %s counts", p.name, finding.Shown(value), word)
	}
}
