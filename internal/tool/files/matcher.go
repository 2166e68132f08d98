package files

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
)

// matcher finds the next line that an expression matches. Where every match has one of a few
// texts, these are looked for first, which is much faster, and only lines that have one are tried.
type matcher struct {
	re *regexp.Regexp
	// texts: every match has one of these; none when nothing is known. With fold
	// they are in small letters and compared without regard to case.
	texts [][]byte
	fold  bool

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
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, err
	}
	n := needs(tree.Simplify())
	if n.fold {
		n = n.lower()
	}
	return &matcher{re: re, texts: n.texts, fold: n.fold, nextAt: make([]int, len(n.texts))}, nil
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

// next returns the first line from position at on that matches, from a to b
// without its end, or a negative a. At is where a line begins.
func (m *matcher) next(at int) (a, b int) {
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
	if loc := m.re.FindIndex(line); loc != nil {
		return loc[0], loc[1]
	}
	return 0, 0
}
