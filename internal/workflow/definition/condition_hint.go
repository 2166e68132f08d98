package definition

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/lazyregexp"
)

var (
	// guess is what the library takes an unknown name for: one of its own functions.
	guess        = lazyregexp.New(` \(did you mean '\w+'\?\)| \(in container ''\)`)
	wordOperator = lazyregexp.New(`\b(and|or|not)\b`)
	oneEquals    = lazyregexp.New(`[^=!<>]=[^=]`)
	minusName    = lazyregexp.New(`\.([A-Za-z_]\w*(?:-[A-Za-z_]\w*)+)`)
)

// plainWords are what the parser says of a text, and the same in plain words.
var plainWords = []struct {
	said *lazyregexp.Regexp
	is   string
}{
	{lazyregexp.New(`^(?:mismatched|extraneous) input '<EOF>'.*`), "it ends too early"},
	{lazyregexp.New(`^(?:mismatched|extraneous) input ('.*?') expecting (?:\{.*|<EOF>)$`), "$1 cannot stand here"},
	{lazyregexp.New(`^invalid (\w+) argument$`), "the text in $1(…) cannot be read"},
	{lazyregexp.New(`^no viable alternative at input ('.*')$`), "$1 cannot stand here"},
	{lazyregexp.New(`^token recognition error at: '(.*?)\s*'$`), "'$1' cannot stand here"},
}

func plainSyntax(text string) string {
	for _, w := range plainWords {
		if w.said.MatchString(text) {
			return w.said.ReplaceAllString(text, w.is)
		}
	}
	return text
}

// conditionHint is the next step after what people do most.
func conditionHint(text string, err error, more ...string) string {
	hyphens := minusName.FindStringSubmatch(text)
	switch {
	case strings.Contains(text, "{{"):
		return "a condition is no template: write input.kind, without {{ and }}"
	case oneEquals.MatchString(text):
		return "compare with =="
	case wordOperator.MatchString(text):
		return "write &&, || and !"
	case hyphens != nil:
		return fmt.Sprintf("a hyphen is a minus here: write [%q] in place of .%s", hyphens[1], hyphens[1])
	case strings.Contains(err.Error(), "no matching overload"):
		return "the two sides are of different types; string(), int() and double() change one"
	case strings.Contains(err.Error(), "in duration(…)"):
		return `write it as duration("5m")`
	case strings.Contains(err.Error(), "in timestamp(…)"):
		return `write it as timestamp("2026-01-31T12:00:00Z")`
	case strings.Contains(err.Error(), "in matches(…)"):
		return "it is a regular expression: write two backslashes before a character that is meant as itself"
	case strings.Contains(err.Error(), "undeclared reference"):
		return "there are " + strings.Join(slices.Concat(more, conditionVariables), ", ") + "; texts stand in quotes"
	}
	return ""
}
