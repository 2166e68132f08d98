package permit

import (
	"strings"

	"belay/internal/lazyregexp"
)

// evaluates adds the commands of eval's text.
func (a *analysis) evaluates(words []arg) bool {
	if len(words) > 0 && words[0].text == "--" {
		words = words[1:]
	}
	texts := make([]string, 0, len(words))
	for _, w := range words {
		if !w.fixed() {
			a.opaque = true
			return false
		}
		texts = append(texts, w.text)
	}
	a.inner(strings.Join(texts, " "))
	return true
}

// traps adds the commands of a trap.
func (a *analysis) traps(words []arg) {
	if len(words) > 0 && words[0].text == "--" {
		words = words[1:]
	}
	if len(words) == 0 || words[0].text == "-p" || words[0].text == "-l" || words[0].text == "-" {
		return
	}
	if !words[0].fixed() {
		a.opaque = true
		return
	}
	a.inner(words[0].text)
}

var (
	// shellFlags are options of a shell that change nothing of what it runs.
	shellFlags = lazyregexp.New(`^-[euxvnf]+$`)
	// shellScript is -c, alone or after such options.
	shellScript = lazyregexp.New(`^-[euxvf]*c$`)
)

// shell adds the commands of the text that a shell is given. A script in a file
// is a program like any other; one that the shell reads from its input is opaque.
func (a *analysis) shell(words []arg) bool {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.fixed():
		case shellScript.MatchString(w.text):
			// More options may come before the text.
			if i+1 < len(words) && words[i+1].fixed() && !strings.HasPrefix(words[i+1].text, "-") && !strings.HasPrefix(words[i+1].text, "+") {
				a.inner(words[i+1].text)
				return true
			}
		case shellFlags.MatchString(w.text):
			continue
		case w.text == "-o" || w.text == "-eo" || w.text == "-euo":
			if i+1 < len(words) && words[i+1].fixed() && words[i+1].text == "pipefail" {
				i++
				continue
			}
		case !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "+"):
			return false
		}
		break
	}
	a.opaque = true
	return false
}
