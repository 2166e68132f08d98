package chat

import (
	"fmt"
	"strings"

	"belay/internal/quantity"
)

// Limits of what is pasted. What is longer than a few lines is not put into the
// editor, where it would hide what was typed: a mark stands for it.
const (
	shortPaste      = 2000
	shortPasteLines = 12
	// maxPasted is as much as a message may have.
	maxPasted = 1 << 20
)

// pasted are the long texts that marks in the editor stand for.
type pasted []struct{ mark, text string }

// put keeps a long text and returns its mark.
func (p *pasted) put(text string) string {
	mark := fmt.Sprintf("[paste %d: %s, %s]", len(*p)+1, quantity.Count(1+strings.Count(strings.TrimSuffix(text, "\n"), "\n"), "line", "lines"), quantity.Size(int64(len(text))))
	*p = append(*p, struct{ mark, text string }{mark, text})
	return mark
}

// bytes is how much is kept for a text.
func (p pasted) bytes(text string) (n int) {
	for _, one := range p {
		if strings.Contains(text, one.mark) {
			n += len(one.text)
		}
	}
	return n
}

// whole is a text with what its marks stand for.
func (p pasted) whole(text string) string {
	var pairs []string
	for _, one := range p {
		pairs = append(pairs, one.mark, one.text)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// ending is the mark with which a text ends, "" for none: it goes as one.
func (p pasted) ending(text string) string {
	for _, one := range p {
		if strings.HasSuffix(text, one.mark) {
			return one.mark
		}
	}
	return ""
}

// long reports whether a text gets a mark.
func long(text string) bool {
	return len(text) > shortPaste || strings.Count(text, "\n") >= shortPasteLines
}
