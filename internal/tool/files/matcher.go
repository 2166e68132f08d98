package files

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
)

// matcher finds the next line that an expression matches. Most of a file is not
// shown to the expression: first something is looked for that every match has,
// which is much faster, and only lines that have it are tried.
type matcher struct {
	re *regexp.Regexp // nil for a plain text
	// plain is the text of a search for one.
	plain []byte
	// texts: every match has one of these; none when nothing is known. With fold
	// they are in small letters and compared without regard to case.
	texts [][]byte
	fold  bool
	// sieve finds where a match may begin, where there are no texts.
	sieve *sieve

	// Of what is searched at the moment:
	data    []byte
	within  []byte // what texts are looked for in: data, or lowered; nil for nowhere
	lowered []byte // data in small letters
	nextAt  []int  // where each text comes next
}

var errManyLines = errors.New("a match is within one line, and this has a line end in it")

// newMatcher compiles a pattern, an RE2 expression or a literal text.
func newMatcher(pattern string, literal, ignoreCase bool) (*matcher, error) {
	if literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	flags := syntax.Perl &^ syntax.OneLine
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	if tree = withinLine(tree); tree.Op == syntax.OpNoMatch {
		return nil, errManyLines
	}
	m := &matcher{}
	if tree.Op == syntax.OpLiteral && tree.Flags&syntax.FoldCase == 0 {
		m.plain = []byte(string(tree.Rune))
		return m, nil
	}
	if m.re, err = regexp.Compile(tree.String()); err != nil {
		return nil, err
	}
	tree = tree.Simplify()
	n := needs(tree)
	if n.fold {
		n = n.lower()
	}
	m.texts, m.fold = n.texts, n.fold
	m.nextAt = make([]int, len(m.texts))
	if len(m.texts) == 0 || shortest(m.texts) < 2 {
		if s := newSieve(tree); s != nil && (len(m.texts) == 0 || s.width > 1) {
			m.sieve, m.texts = s, nil
		}
	}
	return m, nil
}

// withinLine takes line ends out of what an expression matches.
func withinLine(t *syntax.Regexp) *syntax.Regexp {
	switch t.Op {
	case syntax.OpAnyChar:
		t.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		t.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		t.Op = syntax.OpEndLine
	case syntax.OpLiteral:
		for _, r := range t.Rune {
			if r == '\n' {
				return &syntax.Regexp{Op: syntax.OpNoMatch}
			}
		}
	case syntax.OpCharClass:
		var without []rune
		for i := 0; i+1 < len(t.Rune); i += 2 {
			lo, hi := t.Rune[i], t.Rune[i+1]
			if lo > '\n' || hi < '\n' {
				without = append(without, lo, hi)
				continue
			}
			if lo < '\n' {
				without = append(without, lo, '\n'-1)
			}
			if hi > '\n' {
				without = append(without, '\n'+1, hi)
			}
		}
		t.Rune = without
	}
	for i := range t.Sub {
		t.Sub[i] = withinLine(t.Sub[i])
	}
	switch t.Op {
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range t.Sub {
			if sub.Op == syntax.OpNoMatch {
				return &syntax.Regexp{Op: syntax.OpNoMatch}
			}
		}
	}
	return t
}

// begin takes up data, which begins at a line's beginning.
func (m *matcher) begin(data []byte) {
	m.data = data
	if m.re != nil {
		m.prepare()
	}
}

// next returns the first line from position at on that matches, from a to b
// without its end, or a negative a. At is where a line begins.
func (m *matcher) next(at int) (a, b int) {
	if m.re == nil {
		for at < len(m.data) {
			n := bytes.Index(m.data[at:], m.plain)
			if n < 0 {
				break
			}
			a, b = lineAround(m.data, at+n)
			if at+n+len(m.plain) < b || m.plain[len(m.plain)-1] != '\r' {
				return a, b
			}
			at = b + 1 // that is the line's end
		}
		return -1, -1
	}
	for at < len(m.data) {
		hit := m.candidate(at)
		if hit < 0 {
			break
		}
		a, b = lineAround(m.data, hit)
		if m.re.Match(bytes.TrimSuffix(m.data[a:b], []byte{'\r'})) {
			return a, b
		}
		at = b + 1
	}
	return -1, -1
}

// where is the first match in a line.
func (m *matcher) where(line []byte) (a, b int) {
	if m.re == nil {
		a = bytes.Index(line, m.plain)
		return max(a, 0), max(a, 0) + len(m.plain)
	}
	if loc := m.re.FindIndex(line); loc != nil {
		return loc[0], loc[1]
	}
	return 0, 0
}
