package lifecycle

import (
	"strings"
	"time"
)

// day is the form of every date.
const day = "2006-01-02"

// dateOf reads the date that a text begins with, and reports whether the text is
// nothing but that date. A text that begins with none is returned as it is.
func dateOf(text string) (date string, exact bool) {
	if shaped(text) && len(text) == len(day) {
		return text, true
	}
	bare := strings.TrimLeft(text, "[(`*_ ")
	if shaped(bare) && (len(bare) == len(day) || !digit(bare[len(day)])) {
		return bare[:len(day)], false
	}
	return text, false
}

// shaped reports whether a text begins with what looks like a date.
func shaped(text string) bool {
	if len(text) < len(day) {
		return false
	}
	for i := range len(day) {
		if day[i] == '-' {
			if text[i] != '-' {
				return false
			}
		} else if !digit(text[i]) {
			return false
		}
	}
	return true
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// calendar reports whether a text is a date that the calendar has.
func calendar(text string) bool {
	_, err := time.Parse(day, text)
	return err == nil
}
