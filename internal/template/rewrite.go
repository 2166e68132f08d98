package template

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	leftDelim  = "{{"
	rightDelim = "}}"
)

// fieldName is the function that paths become.
const fieldName = "belay_field"

// maybeName is the function that a path becomes which is piped into default: what is
// missing is nothing.
const maybeName = "belay_maybe"

// rewrite makes calls of paths: .tasks.read-pdf.output becomes
// (belay_field . "tasks" "read-pdf" "output"), because the template language knows
// no hyphens in a path, and cuts short what it says of one that leads nowhere.
// Strings and comments stay as they are, and so does every line break: places in
// errors keep their lines.
func rewrite(text string) (string, error) {
	var b strings.Builder
	for {
		open := strings.Index(text, leftDelim)
		if open < 0 {
			b.WriteString(text)
			return b.String(), nil
		}
		open += len(leftDelim)
		b.WriteString(text[:open])
		n, err := action(&b, text[open:])
		if err != nil {
			return "", err
		}
		text = text[open+n:]
	}
}

// action rewrites one action, from after its {{ to before its }}, and returns how
// long it was.
func action(b *strings.Builder, s string) (int, error) {
	if n, ok := comment(s); ok {
		b.WriteString(s[:n])
		return n, nil
	}
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case strings.HasPrefix(s[i:], rightDelim):
			return i, nil
		case c == '"' || c == '`' || c == '\'':
			n, ok := quoted(s[i:])
			if !ok {
				b.WriteString(s[i:]) // the parser says what is wrong
				return len(s), nil
			}
			b.WriteString(s[i : i+n])
			i += n
		case c == '.' || c == '$':
			n, root, keys := path(s[i:])
			behind := byte(' ') // what the path follows without a space
			if i > 0 {
				behind = s[i-1]
			}
			switch {
			case behind == ')' && slices.ContainsFunc(keys, hasHyphen):
				return 0, fmt.Errorf("a name with a hyphen behind a parenthesis: write index (…) %q", keys[0])
			case len(keys) == 0 || c == '.' && (behind == ')' || isWord(behind) || isDigit(keys[0][0])):
				b.WriteString(s[i : i+n]) // no path, or one after a parenthesis, or a number
			default:
				call(b, root, keys)
			}
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	return len(s), nil
}

func call(b *strings.Builder, root string, keys []string) {
	b.WriteString("(" + fieldName + " " + root)
	for _, k := range keys {
		b.WriteString(" " + strconv.Quote(k))
	}
	b.WriteByte(')')
}

// comment is the length of an action that is a comment.
func comment(s string) (int, bool) {
	t := strings.TrimPrefix(s, "- ")
	if !strings.HasPrefix(t, "/*") {
		return 0, false
	}
	end := strings.Index(t, "*/")
	if end < 0 {
		return len(s), true
	}
	return len(s) - len(t) + end + len("*/"), true
}

// quoted is the length of the string or character at the beginning of s.
func quoted(s string) (int, bool) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote != '`':
			i++
		case s[i] == quote:
			return i + 1, true
		}
	}
	return 0, false
}

// path reads a path at the beginning of s: where it starts (. or a variable), and
// the keys after it.
func path(s string) (n int, root string, keys []string) {
	if s[0] == '$' {
		n = 1 + word(s[1:], false)
	}
	root = s[:n]
	for n < len(s) && s[n] == '.' {
		k := word(s[n+1:], true)
		if k == 0 {
			break
		}
		keys = append(keys, s[n+1:n+1+k])
		n += 1 + k
	}
	root = cmp.Or(root, ".")
	return max(n, 1), root, keys
}

// word is the length of the name at the beginning of s. A hyphen belongs to it
// where a letter, a digit or another hyphen of the name follows.
func word(s string, hyphen bool) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			n += size
			continue
		}
		if !hyphen || r != '-' || n == 0 {
			break
		}
		run := 1
		for n+run < len(s) && s[n+run] == '-' {
			run++
		}
		next, _ := utf8.DecodeRuneInString(s[n+run:])
		if next != '_' && !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			break
		}
		n += run
	}
	return n
}

func hasHyphen(key string) bool { return strings.Contains(key, "-") }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c == '_' || c >= utf8.RuneSelf || unicode.IsLetter(rune(c))
}
