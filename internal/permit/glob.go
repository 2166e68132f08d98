package permit

import (
	"errors"
	"strings"
)

// glob is a pattern for one word: a byte 0 stands for any characters, a byte 1
// for one; everything else for itself. Both bytes are refused in rules and in
// commands.
type glob string

const (
	anyText = "\x00"
	anyOne  = "\x01"
)

// splitPattern reads a pattern for commands.
func splitPattern(pattern string) ([]glob, error) {
	var (
		words  []glob
		b      strings.Builder
		inWord bool
		quote  byte
	)
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'':
			if i++; i == len(pattern) {
				return nil, errors.New(`it ends with a \`)
			}
			b.WriteByte(pattern[i])
			inWord = true
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ':
			if inWord {
				words = append(words, glob(b.String()))
				b.Reset()
			}
			inWord = false
		case c == '*':
			b.WriteString(anyText)
			inWord = true
		case c == '?':
			b.WriteString(anyOne)
			inWord = true
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote in it is not closed")
	}
	if inWord {
		words = append(words, glob(b.String()))
	}
	return words, nil
}

// rest reports whether the pattern is a lone *.
func (g glob) rest() bool { return g == anyText }

// match reports whether the whole of s fits; fold ignores the case of letters.
func (g glob) match(s string, fold bool) bool {
	p := string(g)
	if fold {
		p, s = strings.ToLower(p), strings.ToLower(s)
	}
	// star is the last * and at the text it has been given so far; giving it one
	// byte more is the only thing that need be tried again.
	i, j, star, at := 0, 0, -1, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == anyText[0]:
			star, at = i, j
			i++
		case i < len(p) && (p[i] == anyOne[0] || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			at++
			i, j = star+1, at
		default:
			return false
		}
	}
	return strings.Trim(p[i:], anyText) == ""
}
