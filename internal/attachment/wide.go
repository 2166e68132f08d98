package attachment

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// wideText knows UTF-16 without a byte order mark: all of it is paired, can be
// shown, and some of it, if there is little of it half, is ASCII.
func wideText(head []byte, whole bool) found {
	best, charset := 0, ""
	for _, order := range []string{charsetUTF16LE, charsetUTF16BE} {
		if ascii := wideASCII(head, whole, order); ascii > best {
			best, charset = ascii, order
		}
	}
	if charset == "" {
		return found{}
	}
	return found{kind: KindText, mime: mimeText, charset: charset}
}

// leastUnits is how many characters UTF-16 without a mark must have, fewUnits from
// how many on a single one in ASCII is enough.
const (
	leastUnits = 4
	fewUnits   = 64
)

// wideASCII counts the ASCII in head read as UTF-16, 0 where it is none.
func wideASCII(head []byte, whole bool, charset string) int {
	if whole && len(head)%2 == 1 || len(head) < 2*leastUnits {
		return 0
	}
	head = head[:len(head)&^1]
	check := newTextCheck(charset)
	if _, err := check.Write(head); err != nil || whole && check.Finish() != nil {
		return 0
	}
	ascii, runes := 0, 0
	for _, r := range string(narrow(head, charset)) {
		runes++
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\f' || r >= ' ' && r < 0x7f:
			ascii++
		case r == utf8.RuneError && !whole: // half a pair at the end
		case !unicode.IsGraphic(r):
			return 0
		}
	}
	if runes < fewUnits && ascii*2 < runes {
		return 0
	}
	return ascii
}

// narrow is text as UTF-8.
func narrow(head []byte, charset string) []byte {
	low, high := 0, 1
	switch charset {
	case "":
		return head
	case charsetUTF16BE:
		low, high = 1, 0
	}
	units := make([]uint16, len(head)/2)
	for i := range units {
		units[i] = uint16(head[2*i+low]) | uint16(head[2*i+high])<<8
	}
	return []byte(string(utf16.Decode(units)))
}
