package files

import (
	"bytes"
	"regexp/syntax"
	"unicode/utf8"
)

// begin takes up data, which begins at a line's beginning, and gets the texts ready to be
// looked for in it.
func (m *matcher) begin(data []byte) {
	m.data, m.within = data, nil
	switch {
	case len(m.texts) == 0 || m.fold && strangeCase(m.data):
		return
	case m.fold:
		m.lowered = lower(m.lowered[:0], m.data)
		m.within = m.lowered
	default:
		m.within = m.data
	}
	for i := range m.nextAt {
		m.nextAt[i] = -1
	}
}

// candidate is a place in the first line from at on that may match, negative when
// there is none. At is where a line begins.
func (m *matcher) candidate(at int) int {
	if m.within == nil {
		return at
	}
	return m.nextText(at)
}

// nextText is where the first of the texts is, from at on. Each text is looked for
// again only when the search is past it.
func (m *matcher) nextText(at int) int {
	first, none := -1, len(m.within)
	for i, text := range m.texts {
		if m.nextAt[i] < at {
			m.nextAt[i] = none
			if n := bytes.Index(m.within[at:], text); n >= 0 {
				m.nextAt[i] = at + n
			}
		}
		if n := m.nextAt[i]; n < none && (first < 0 || n < first) {
			first = n
		}
	}
	return first
}

// small maps capital letters of ASCII to small ones.
var small = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	return t
}()

func lower(to, from []byte) []byte {
	if cap(to) < len(from) {
		to = make([]byte, 0, max(len(from), firstBuffer))
	}
	to = to[:len(from)]
	for i, c := range from {
		to[i] = small[c]
	}
	return to
}

// strangeCase reports whether data has one of the two characters outside ASCII
// whose small letter is inside: the long s and the Kelvin sign.
func strangeCase(data []byte) bool {
	return bytes.Contains(data, []byte("ſ")) || bytes.Contains(data, []byte("\u212a"))
}

// need is what every match of an expression has: one of the texts.
type need struct {
	texts [][]byte
	fold  bool
}

const maxTexts = 8

// needs finds the best texts to look for. It says nothing where it is not sure.
func needs(t *syntax.Regexp) need {
	switch t.Op {
	case syntax.OpLiteral:
		text := []byte(string(t.Rune))
		fold := t.Flags&syntax.FoldCase != 0
		if fold && !asciiOnly(text) {
			return need{}
		}
		return need{[][]byte{text}, fold}
	case syntax.OpCapture, syntax.OpPlus:
		return needs(t.Sub[0])
	case syntax.OpRepeat:
		if t.Min > 0 {
			return needs(t.Sub[0])
		}
	case syntax.OpConcat:
		var best need
		for _, sub := range t.Sub {
			if n := needs(sub); n.better(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all need
		for _, sub := range t.Sub {
			n := needs(sub)
			if len(n.texts) == 0 || len(all.texts)+len(n.texts) > maxTexts {
				return need{}
			}
			all.texts, all.fold = append(all.texts, n.texts...), all.fold || n.fold
		}
		if all.fold {
			for _, text := range all.texts {
				if !asciiOnly(text) {
					return need{}
				}
			}
		}
		return all
	}
	return need{}
}

// better prefers long texts, then few.
func (n need) better(than need) bool {
	if len(n.texts) == 0 || len(than.texts) == 0 {
		return len(n.texts) > 0
	}
	if a, b := shortest(n.texts), shortest(than.texts); a != b {
		return a > b
	}
	return len(n.texts) < len(than.texts)
}

func (n need) lower() need {
	low := need{fold: true}
	for _, text := range n.texts {
		low.texts = append(low.texts, bytes.ToLower(text))
	}
	return low
}

func shortest(texts [][]byte) int {
	least := len(texts[0])
	for _, text := range texts {
		least = min(least, len(text))
	}
	return least
}

func asciiOnly(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
