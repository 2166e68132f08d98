package live

import (
	"strings"
	"unicode/utf8"

	"belay/internal/lazyregexp"
)

// escapeSequences are the sequences by which programs give a terminal colours, titles and links.
var escapeSequences = lazyregexp.New(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78DEHMNOc])`)

// openSequence is the end of an output in which such a sequence has begun.
var openSequence = lazyregexp.New(`\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[()])?$`)

// maxSequence bounds how much of an output may be such a beginning.
const maxSequence = 1 << 10

// Plain is output as plain text, for models and people: what is no UTF-8 is marked.
func Plain(output []byte) string {
	return escapeSequences.ReplaceAllString(strings.ToValidUTF8(string(output), "\uFFFD"), "")
}

// complete is the length of the part of an output that ends in no character and no sequence
// that has only begun.
func complete(output []byte) int {
	n := len(output)
	for back := 1; back < utf8.UTFMax && back <= n; back++ {
		if c := output[n-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(output[n-back:]) {
				n -= back
			}
			break
		}
	}
	end := output[max(0, n-maxSequence):n]
	if m := openSequence.FindStringIndex(string(end)); m != nil {
		n -= len(end) - m[0]
	}
	return n
}
