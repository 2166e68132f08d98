package pdf

import (
	"strings"
	"unicode/utf8"
)

// writer collects the text of pages, up to a limit.
type writer struct {
	b     strings.Builder
	limit int
	cut   bool
}

// add appends s, or what there is room for, at a character's end.
func (w *writer) add(s string) {
	if room := w.limit - w.b.Len(); len(s) > room {
		w.cut = true
		for room = max(room, 0); room > 0 && !utf8.RuneStart(s[room]); {
			room--
		}
		s = s[:room]
	}
	w.b.WriteString(s)
}

// ligatures are spelled out, or no word with one would be found again. None grows.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// tidy drops the spaces at the ends of lines and all but one of the empty lines
// in a row, of which word processors leave many.
func tidy(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	empty := 0
	for line := range strings.Lines(ligatures.Replace(text)) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			empty++
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if empty > 0 {
				b.WriteByte('\n')
			}
		}
		empty = 0
		b.WriteString(line)
	}
	return b.String()
}
