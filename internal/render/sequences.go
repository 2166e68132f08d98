package render

import "strings"

// WithoutSequences is the output of a command without the complete control sequences
// that it has for a terminal: colours (CSI), titles and links (OSC and the like), and
// the choice of character sets. The text between them stays. A sequence that is not
// complete stays for [Visible] or clean, so nothing after it is lost, and no sequence
// extends past the end of a line: a library that strips an open title up to its end
// would hide the lines after it.
func WithoutSequences(s string) string {
	at := strings.IndexByte(s, escape)
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for at >= 0 {
		b.WriteString(s[:at])
		n := sequence(s[at:])
		if n == 0 {
			b.WriteByte(escape)
			n = 1
		}
		s = s[at+n:]
		at = strings.IndexByte(s, escape)
	}
	b.WriteString(s)
	return b.String()
}

// escape begins a control sequence, bell may end one.
const (
	escape = '\x1b'
	bell   = '\a'
)

// sequence is the length of the complete control sequence that a text begins with
// (ECMA-48, 5.3 to 5.6), 0 where there is none.
func sequence(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch c := s[1]; {
	case c == '[':
		return ends(s, 2, '0', '?', '@', '~')
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		return stringEnds(s)
	case c >= ' ' && c <= '/':
		return ends(s, 1, ' ', '/', '0', '~')
	}
	return 0
}

// ends goes over bytes from low to high, then over intermediate ones, and returns the
// length with the final byte, which is from first to last.
func ends(s string, at int, low, high, first, last byte) int {
	for at < len(s) && s[at] >= low && s[at] <= high {
		at++
	}
	for at < len(s) && s[at] >= ' ' && s[at] <= '/' {
		at++
	}
	if at < len(s) && s[at] >= first && s[at] <= last {
		return at + 1
	}
	return 0
}

// stringEnds is the length of a sequence that holds a text, up to its terminator.
func stringEnds(s string) int {
	for at := 2; at < len(s); at++ {
		switch c := s[at]; {
		case c == bell:
			return at + 1
		case c == escape:
			if at+1 < len(s) && s[at+1] == '\\' {
				return at + 2
			}
			return 0
		case c == '\n':
			return 0
		}
	}
	return 0
}
