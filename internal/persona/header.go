package persona

import (
	"iter"
	"strings"

	"belay/internal/lazyregexp"
	markdown "belay/internal/workspace/document"
)

// header is what the body declares about the agent (workspace 9.1 and 9.2).
type header struct {
	typ                               Type
	class                             string
	surface, scope, blocking, outputs string
	warnings                          []string
}

var (
	headerLine = lazyregexp.New(`^ {0,3}(AGENT_TYPE|AGENT_CLASS|INTERACTION_SURFACE|WRITE_SCOPE|BLOCKING|PRIMARY_OUTPUTS):\s*(\S.*)$`)
	typeValue  = lazyregexp.New(`(?i)^(?:TYPE\s*)?([0-2])(?:\W|$)`)
)

// parseHeader looks for each property first as a line "NAME: value", then as a
// row of the Agent Type table. Only the instructions themselves are searched:
// what stands in code fences, indented code or comments is an example of
// something, not a declaration. Body is the first line of the instructions.
func parseHeader(text *markdown.Document, body int) (h header) {
	lines, rows := map[string]string{}, map[string]string{}
	for _, line := range prose(text, body) {
		if m := headerLine.FindStringSubmatch(line); m != nil {
			note(lines, m[1], strings.TrimSpace(m[2]))
		} else if name, value, ok := tableRow(line); ok {
			note(rows, name, value)
		}
	}
	value := func(name string) string {
		if v, ok := lines[name]; ok {
			return v
		}
		return rows[name]
	}
	h.typ = agentType(value("AGENT_TYPE"))
	h.class = agentClass(value("AGENT_CLASS"))
	h.surface, h.scope = value("INTERACTION_SURFACE"), value("WRITE_SCOPE")
	h.blocking, h.outputs = value("BLOCKING"), value("PRIMARY_OUTPUTS")
	if a, b := agentType(lines["AGENT_TYPE"]), agentType(rows["AGENT_TYPE"]); a != "" && b != "" && a != b {
		h.warnings = append(h.warnings, "the header says "+string(a)+" and the Agent Type table "+string(b)+"; the header holds")
	}
	return h
}

// prose yields the lines from body on that are neither code nor comment, with their
// numbers.
func prose(text *markdown.Document, body int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		comment := false
		for i := body; i < text.Len(); i++ {
			line := text.Line(i)
			if !comment && (text.Fenced(i) || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) {
				continue
			}
			if line, comment = uncomment(line, comment); strings.TrimSpace(line) != "" && !yield(i, line) {
				return
			}
		}
	}
}

// uncomment removes HTML comments from a line; in says whether the line begins
// inside one, and the result whether it ends inside one.
func uncomment(line string, in bool) (string, bool) {
	var out strings.Builder
	for {
		if in {
			_, rest, ok := strings.Cut(line, "-->")
			if !ok {
				return out.String(), true
			}
			line = rest
		}
		before, rest, ok := strings.Cut(line, "<!--")
		out.WriteString(before)
		if !ok {
			return out.String(), false
		}
		line, in = rest, true
	}
}

// tableRow reads the first two cells of a row whose first cell is a property.
func tableRow(line string) (name, value string, ok bool) {
	line, ok = strings.CutPrefix(strings.TrimSpace(line), "|")
	if !ok {
		return "", "", false
	}
	// An escaped pipe is part of its cell.
	cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
	if len(cells) < 2 {
		return "", "", false
	}
	name = strings.ToUpper(strings.Trim(strings.TrimSpace(cells[0]), "*`_ "))
	value = strings.ReplaceAll(strings.TrimSpace(cells[1]), "\x00", "|")
	return name, value, name != "" && value != ""
}

// note keeps the first value of a property.
func note(m map[string]string, name, value string) {
	if _, ok := m[name]; !ok {
		m[name] = oneLine(value)
	}
}

func agentType(v string) Type {
	if m := typeValue.FindStringSubmatch(strings.Trim(v, "*` ")); m != nil {
		return Type("TYPE " + m[1])
	}
	return ""
}

// agentClass goes by the first word, so that "PERSONA (MANAGER)" is PERSONA.
func agentClass(v string) string {
	v = strings.ToUpper(strings.Trim(v, "*` "))
	for _, c := range []string{ClassTask, ClassPersona} {
		if strings.HasPrefix(v, c) {
			return c
		}
	}
	return ""
}
