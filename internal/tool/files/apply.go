package files

import (
	"fmt"
	"slices"
	"strings"
)

// replacement is one edit of a text.
type replacement struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"replace_all"`
}

// apply does edits one after the other, all or none. Texts are compared with
// line ends of one kind; what is put in gets the kind that the file has, and what
// is not touched stays as it is, byte for byte. The result has at most most
// bytes.
func apply(text string, edits []replacement, most int64) (string, error) {
	ending := "\n"
	if n := strings.Count(text, "\r\n"); 2*n > strings.Count(text, "\n") {
		ending = "\r\n"
	}
	for i, e := range edits {
		var err error
		if text, err = applyOne(text, e, ending, most); err != nil {
			return "", fmt.Errorf("edit %d of %d: %w", i+1, len(edits), err)
		}
	}
	return text, nil
}

func applyOne(text string, e replacement, ending string, most int64) (string, error) {
	old, with := unixLines(e.Old), unixLines(e.New)
	if old == with {
		return "", fmt.Errorf("the old and the new text are the same")
	}
	u := newUnixText(text)
	places := occurrences(u.text, old, e.All)
	switch {
	case len(places) == 0:
		return "", missing(u.text, old)
	case len(places) > 1 && !e.All:
		return "", fmt.Errorf("the old text is there %s, at lines %s; give more of the text around it, or set replace_all",
			times(len(places)), lineNumbers(u.text, places))
	}
	if growth := int64(len(with)-len(old)) * int64(len(places)); int64(len(text))+growth > most {
		return "", fmt.Errorf("the file would have more than %d bytes", most)
	}
	if ending != "\n" {
		with = strings.ReplaceAll(with, "\n", ending)
	}
	var b strings.Builder
	at := 0
	for _, p := range places {
		b.WriteString(text[at:u.origin(p)])
		b.WriteString(with)
		at = u.origin(p + len(old))
	}
	b.WriteString(text[at:])
	return b.String(), nil
}

// occurrences returns where old is in text. All occurrences are those that can be
// replaced together, from the left; otherwise ones that overlap count too,
// because either could be meant.
func occurrences(text, old string, all bool) []int {
	var places []int
	step := 1
	if all {
		step = len(old)
	}
	for at := 0; ; {
		i := strings.Index(text[at:], old)
		if i < 0 {
			return places
		}
		places = append(places, at+i)
		at += i + step
	}
}

func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// unixText is a text without the carriage returns of its line ends, that knows
// where they were.
type unixText struct {
	text string
	// ends are the positions in text of the line ends that lost theirs.
	ends []int
}

func newUnixText(text string) unixText {
	u := unixText{text: unixLines(text)}
	if len(u.text) == len(text) {
		return u
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "\r\n")
		if i < 0 {
			return u
		}
		u.ends = append(u.ends, at+i-len(u.ends))
		at += i + 2
	}
}

// origin is where a position of the text is in the original: a line end begins
// with its carriage return.
func (u unixText) origin(at int) int {
	before, _ := slices.BinarySearch(u.ends, at)
	return at + before
}

func times(n int) string {
	if n == 2 {
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// maxPlaces is how many line numbers a message has.
const maxPlaces = 10

// lineNumbers names the lines of places, which are in order.
func lineNumbers(text string, places []int) string {
	var b strings.Builder
	line, at := 1, 0
	for i, p := range places {
		if i == maxPlaces {
			b.WriteString(" and more")
			break
		}
		line += strings.Count(text[at:p], "\n")
		at = p
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, line)
	}
	return b.String()
}
