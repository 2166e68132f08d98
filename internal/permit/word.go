package permit

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arg is one word of a command as far as it is known before the command runs.
type arg struct {
	// text has its quotes removed where the word is known, and is as written
	// where it is not.
	text string
	// dynamic words depend on a variable, a substitution or a brace expansion;
	// glob words on the files that are there. Both may become any number of words.
	dynamic, glob bool
}

// fixed reports whether the word stands for exactly itself.
func (a arg) fixed() bool { return !a.dynamic && !a.glob }

// word reads one word of source.
func word(source string, w *syntax.Word) arg {
	var (
		b      strings.Builder
		bare   strings.Builder // what is not in quotes: only there braces and patterns act
		static = true
	)
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
			bare.WriteString(p.Value)
		case *syntax.SglQuoted:
			// What $'…' stands for, the shell works out; only without a
			// backslash in it that is plain.
			static = static && (!p.Dollar || !strings.Contains(p.Value, `\`))
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, ok := inDoubleQuotes(p)
			static = static && ok
			b.WriteString(text)
		default: // variables, substitutions, arithmetic, extended patterns
			static = false
		}
	}
	unquoted := bare.String()
	if strings.Contains(unquoted, "{") && (strings.Contains(unquoted, ",") || strings.Contains(unquoted, "..")) {
		static = false // a brace expansion makes several words
	}
	if !static {
		return arg{text: written(source, w), dynamic: true}
	}
	return arg{text: b.String(), glob: hasPattern(unquoted)}
}

// inDoubleQuotes is the text between double quotes and whether it is known.
func inDoubleQuotes(q *syntax.DblQuoted) (string, bool) {
	if q.Dollar { // translated by the locale
		return "", false
	}
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", false
		}
		b.WriteString(unescapeQuoted(lit.Value))
	}
	return b.String(), true
}

// unescape removes the backslashes of text outside quotes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' { // the line goes on
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeQuoted removes the backslashes that act between double quotes.
func unescapeQuoted(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// hasPattern reports whether the shell looks for files by an unquoted text.
func hasPattern(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return s != "[" // the program of that name
		}
	}
	return false
}

// written is a node as it is in the source.
func written(source string, n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || to > uint(len(source)) {
		return ""
	}
	return source[from:to]
}
