package files

import (
	"math/bits"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// sieve finds where a match may be from the first few bytes that every match
// begins with, each one of a set: for \d{4}-\d\d four digits, a dash, two digits.
// It runs over the bytes once, with one bit for each set that was met so far.
type sieve struct {
	width int
	// meets has, for each byte, the bits of the sets that it is in.
	meets [256]uint64
}

// maxWidth is how many bytes are compared: enough to be rare.
const maxWidth = 12

// newSieve returns the sieve of an expression, nil when nothing is known of its
// beginning.
func newSieve(t *syntax.Regexp) *sieve {
	s := &sieve{}
	s.add(t)
	if s.width == 0 {
		return nil
	}
	for c := range s.meets {
		if bits.OnesCount64(s.meets[c]) < s.width {
			return s // not everything passes
		}
	}
	return nil
}

// next is a place in the line of the first beginning from at on, negative for
// none.
func (s *sieve) next(data []byte, at int) int {
	if at >= len(data) {
		return -1
	}
	var met uint64
	full := uint64(1) << (s.width - 1)
	for i, c := range data[at:] {
		if met = (met<<1 | 1) & s.meets[c]; met&full != 0 {
			return at + i
		}
	}
	return -1
}

// add appends what t begins with and reports whether all of t was taken, so that
// what comes after it may follow.
func (s *sieve) add(t *syntax.Regexp) bool {
	if s.width >= maxWidth {
		return false
	}
	switch t.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpEmptyMatch:
		return true
	case syntax.OpCapture:
		return s.add(t.Sub[0])
	case syntax.OpConcat:
		for _, sub := range t.Sub {
			if !s.add(sub) {
				return false
			}
		}
		return true
	case syntax.OpPlus: // once, and then perhaps again
		s.add(t.Sub[0])
		return false
	case syntax.OpLiteral:
		return s.literal(t)
	case syntax.OpCharClass:
		return s.class(t.Rune)
	}
	return false
}

func (s *sieve) literal(t *syntax.Regexp) bool {
	for _, r := range t.Rune {
		set := []rune{r, r}
		if t.Flags&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				set = append(set, f, f)
			}
		}
		if !s.class(set) {
			return false
		}
	}
	return true
}

// class appends a set of characters, given as pairs. Of a character outside ASCII
// only the first byte is compared, and nothing after it.
func (s *sieve) class(pairs []rune) bool {
	if s.width >= maxWidth || len(pairs) == 0 {
		return false
	}
	bit, narrow := uint64(1)<<s.width, true
	for i := 0; i+1 < len(pairs); i += 2 {
		for r := pairs[i]; r <= min(pairs[i+1], utf8.RuneSelf-1); r++ {
			s.meets[r] |= bit
		}
		if pairs[i+1] >= utf8.RuneSelf {
			narrow = false
			for c := utf8.RuneSelf; c < len(s.meets); c++ {
				s.meets[c] |= bit
			}
		}
	}
	s.width++
	return narrow
}
