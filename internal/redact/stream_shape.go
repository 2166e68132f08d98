package redact

import "strings"

// maxHeld bounds how much of what looks like a key is held back: no key is that long.
const maxHeld = 4 << 10

// keyCharacters are those of which keys are made, blanks what may stand before one.
const (
	keyCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~+/=-"
	blanks        = " \t"
)

// nextShape returns the part of a text without known secrets, up to at, that holds no part of
// what looks like a key, and holds the rest back.
func (s *Stream) nextShape(text string, at int) string {
	if s.within {
		rest := strings.TrimLeft(text, keyCharacters)
		at = max(0, at-(len(text)-len(rest)))
		if text = rest; text == "" {
			s.held = ""
			return ""
		}
		s.within = false
	}
	at = min(at, s.shapeBegun(text))
	if at < len(text) {
		at = s.notWithin(text, at)
	}
	most := maxHeld
	if r := s.redactor; r != nil && len(r.needles) > 0 {
		most += len(r.needles[0]) // the longest: what begins it is always held back
	}
	if len(text)-at <= most {
		s.held = text[at:]
		return s.shapeless(text[:at])
	}
	s.held = ""
	clean := s.shapeless(text)
	s.within = strings.HasSuffix(clean, Placeholder) && !strings.HasSuffix(text, Placeholder)
	return clean
}

// shapeless is the next part of the text without what looks like a key.
func (s *Stream) shapeless(text string) string {
	if text == "" {
		return ""
	}
	clean := strings.TrimPrefix(keyPatterns(s.before+text), s.before)
	s.before = edge(text)
	return clean
}

// edge stands for what comes before a text that continues another: a letter or digit, or
// nothing of that kind. No key begins with it.
func edge(text string) string {
	switch c := text[len(text)-1]; {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_':
		return "_"
	}
	return ""
}

// shapeBegun is where the first part of a text begins that reaches its end and may become
// something that looks like a key; the length of the text for none.
func (s *Stream) shapeBegun(text string) int {
	// It is one word, or two of which the first is short.
	start := len(strings.TrimRight(strings.TrimRight(text, keyCharacters), blanks))
	start = max(0, start-len("Bearer"))
	before := s.before
	if start > 0 {
		before = edge(text[:start])
	}
	end := before + text[start:]
	first := len(end)
	for _, p := range patterns {
		if m := p.begins.FindStringIndex(end); m != nil {
			first = min(first, m[0])
		}
	}
	return start + first - len(before)
}

// notWithin is at, or the place before it where something that looks like a key begins that
// reaches beyond: a cut within it would leave its beginning to be seen.
func (s *Stream) notWithin(text string, at int) int {
	for moved := true; moved; {
		moved = false
		for _, p := range patterns {
			if !strings.Contains(text, p.hint) {
				continue
			}
			for _, m := range p.re.FindAllStringIndex(s.before+text, -1) {
				from, to := m[0]-len(s.before), m[1]-len(s.before)
				if from < at && at < to {
					at, moved = from, true
				}
			}
		}
	}
	return at
}
