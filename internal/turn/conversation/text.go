package conversation

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"belay/internal/attachment"
	"belay/internal/blank"
	"belay/internal/model"
)

// CutText is at most n bytes of s, whole characters.
func CutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// middleOut is text without its middle where it is longer than n bytes.
func middleOut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	tail := text[len(text)-n/4:]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return CutText(text, n*3/4) + " […] " + tail
}

// cutNote follows a text that was cut to fit the model.
func cutNote(size int, where string) string {
	where = cmp.Or(where, "the session's transcript has all of it")
	return fmt.Sprintf("\n[cut here to fit the model: these were %d bytes; %s]", size, where)
}

// spoken is an input's words: a text must not be blank.
func spoken(message string) string {
	if blank.Is(message) {
		return "(files, without words)"
	}
	return message
}

func media(parts []attachment.Part) []model.Content {
	c := make([]model.Content, len(parts))
	for i, p := range parts {
		c[i] = model.Media{Part: p}
	}
	return c
}
