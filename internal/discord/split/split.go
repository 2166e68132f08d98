// Package split cuts a text into parts that fit into Discord messages.
//
// [Split] prefers places where a reader expects a break: between paragraphs,
// before a heading or a list item, at the end of a line, between words. A code
// block that does not fit into one part is closed at the end of a part and opened
// again in the next one, with its language.
//
// The package is pure. It loses nothing: the bodies of the parts, joined, are the
// text. It promises that no part is longer than the limit, and that a part before
// the last one does not change when text is added at the end. So an answer can be
// split while it is still being written.
package split

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// Limit is the number of characters that Discord takes in one message:
// https://discord.com/developers/docs/resources/message#create-message.
const Limit = 2000

// minLimit leaves room for a code block's first and last line in a part.
const minLimit = 64

// Part is one message's share of a text.
type Part struct {
	// Body is the piece of the text, as it stood there.
	Body string
	// Before opens the code block that the part begins in, After closes the one
	// that it ends in. Both are usually empty.
	Before, After string
}

// String is the text of the message.
func (p Part) String() string { return p.Before + p.Body + p.After }

// Blank reports whether Discord would refuse the part as an empty message.
func (p Part) Blank() bool { return strings.TrimSpace(p.String()) == "" }

// Length counts the characters of s as Discord's strictest counter does: in
// UTF-16 units, of which an emoji takes two. It is never less than the number of
// code points.
func Length(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// Split cuts text into parts of at most limit characters; see [Length]. A limit
// under 64 counts as 64. The result of an empty text is empty.
func Split(text string, limit int) []Part {
	limit = max(limit, minLimit)
	var parts []Part
	for open := (fence{}); text != ""; {
		p := Part{Before: open.reopen()}
		room := limit - Length(p.Before)
		if Length(text) <= room {
			p.Body = text
			return append(parts, p)
		}
		b := cut(text, room, open)
		p.Body, text, open = text[:b.at], text[b.at:], b.open
		p.After = b.closing()
		parts = append(parts, p)
	}
	return parts
}

// place is a possible end of a part: an offset in the text and the code block that
// is open there.
type place struct {
	at   int
	open fence
	// midLine says that the place is not at the end of a line.
	midLine bool
}

// closing is what ends the open code block of a part that ends at p.
func (p place) closing() string {
	if !p.open.is() {
		return ""
	}
	if p.midLine {
		return "\n" + p.open.marks
	}
	return p.open.marks
}

// Penalties, in shares of the limit, that a place has for the harm that a break does there.
const (
	penaltyParagraph = 0.0
	penaltyBlock     = 0.05
	penaltyLine      = 0.2
	penaltyCode      = 0.45
	penaltyWord      = 0.7
	penaltyAnywhere  = 0.9
	penaltyCharacter = 3.0 // only where a letter has more accents than fit
)

// cut finds the best end of a part of at most room characters. The text is longer
// than that, and begins inside open.
func cut(text string, room int, open fence) place {
	s := search{room: room, limit: float64(room)}
	at, used := 0, 0
	for at < len(text) && used <= room {
		line := text[at:lineEnd(text, at)]
		s.within(line, at, used, open)
		at += len(line)
		used += Length(line)
		was := open
		open = open.after(line)
		s.offer(place{at: at, open: open}, used, penaltyAt(text, at, line, was, open))
	}
	return s.best
}

// search keeps the best place so far: the one with the most characters, minus its penalty.
type search struct {
	room  int
	limit float64
	best  place
	score float64
}

func (s *search) offer(p place, used int, penalty float64) {
	if used+Length(p.closing()) > s.room {
		return
	}
	if score := float64(used) - penalty*s.limit; s.best.at == 0 || score >= s.score {
		s.best, s.score = p, score
	}
}

// within offers places inside a line that goes over the end of the room.
func (s *search) within(line string, at, used int, open fence) {
	if used+Length(line) <= s.room {
		return
	}
	var before rune
	for i, r := range line {
		if used > s.room {
			return
		}
		if i > 0 {
			penalty := penaltyAnywhere
			switch {
			case joins(before, r):
				penalty = penaltyCharacter
			case unicode.IsSpace(before) && !unicode.IsSpace(r):
				penalty = penaltyWord
			}
			s.offer(place{at: at + i, open: open, midLine: true}, used, penalty)
		}
		before = r
		used += max(utf16.RuneLen(r), 1)
	}
}

// joins reports whether b belongs to the character that a begins or goes on with:
// a combining mark, a variation selector, or a part of an emoji.
func joins(a, b rune) bool {
	const zeroWidthJoiner = '\u200d'
	return a == zeroWidthJoiner || b == zeroWidthJoiner || unicode.Is(unicode.M, b) ||
		b >= 0x1f3fb && b <= 0x1f3ff || // skin tones
		regional(a) && regional(b)
}

// regional reports whether r is one of the two letters of a flag.
func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// lineEnd is the offset after the line that begins at at, its line feed included.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// penaltyAt judges a break at offset at, after line.
func penaltyAt(text string, at int, line string, was, open fence) float64 {
	if open.is() {
		return penaltyCode
	}
	if strings.TrimSpace(line) == "" && !was.is() {
		return penaltyParagraph
	}
	next := text[at:lineEnd(text, at)]
	if was.is() || open.after(next).is() || beginsBlock(next) {
		return penaltyBlock
	}
	return penaltyLine
}

// beginsBlock reports whether a line is a heading or an item of a list that stands
// in no other list.
func beginsBlock(line string) bool {
	for _, mark := range []string{"# ", "## ", "### ", "- ", "* ", "+ "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	return digits > 0 && digits < 10 && (strings.HasPrefix(line[digits:], ". ") || strings.HasPrefix(line[digits:], ") "))
}
