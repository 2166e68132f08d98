package permit

import (
	"errors"
	"path"
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

// pathPattern is a pattern for slash-separated paths: ** stands for any folders,
// * stays within one. A slash at the end stands for all that is in a folder.
type pathPattern []glob

const anyFolders = glob("**")

func splitPath(pattern string) pathPattern {
	var parts pathPattern
	for part := range strings.SplitSeq(path.Clean(pattern), "/") {
		if part != string(anyFolders) {
			part = strings.NewReplacer("*", anyText, "?", anyOne).Replace(part)
		}
		if part != "." { // the project itself has no parts
			parts = append(parts, glob(part))
		}
	}
	if strings.HasSuffix(pattern, "/") {
		parts = append(parts, anyFolders)
	}
	return parts
}

// denies reports whether a denial with the pattern hits a path, in any case of letters, since
// some file systems know none. A slash at the beginning of the pattern stands for the project's
// top, too: it would deny hardly anything otherwise.
func (p pathPattern) denies(name string) bool {
	return p.match(name, true) || p.fromTop().match(name, true)
}

// closes reports whether such a denial hits all that may be in a folder. One that hits only some of
// it, as **/.* does, leaves the folder open.
func (p pathPattern) closes(folder string) bool {
	if n := len(p); n > 1 && p[n-1].rest() && p[n-2] == anyFolders {
		p = p[:n-1] // **/* is all that is below, as ** is
	}
	return len(p) > 0 && p[len(p)-1] == anyFolders && p.denies(folder)
}

// mayDeny reports whether such a denial can hit something in a folder.
func (p pathPattern) mayDeny(folder string) bool {
	return p.reaches(folder, true) || p.fromTop().reaches(folder, true)
}

// fromTop is the pattern without a slash at its beginning.
func (p pathPattern) fromTop() pathPattern {
	if len(p) > 1 && p[0] == "" {
		return p[1:]
	}
	return p
}

// pathParts are the parts of a path. The project itself has none: only a pattern for everything
// matches it.
func pathParts(name string) []string {
	if name = path.Clean(name); name == "." {
		return nil
	}
	return strings.Split(name, "/")
}

// match reports whether a path, cleaned first, fits. It works through the parts
// as glob.match does through bytes.
func (p pathPattern) match(name string, fold bool) bool {
	s := pathParts(name)
	i, j, star, at := 0, 0, -1, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == anyFolders:
			star, at = i, j
			i++
		case i < len(p) && p[i].match(s[j], fold):
			i++
			j++
		case star >= 0:
			at++
			i, j = star+1, at
		default:
			return false
		}
	}
	for i < len(p) && p[i] == anyFolders {
		i++
	}
	return i == len(p)
}

// reaches reports whether the pattern can match something in a folder.
func (p pathPattern) reaches(folder string, fold bool) bool {
	parts := pathParts(folder)
	for i, part := range parts {
		switch {
		case i == len(p):
			return false
		case p[i] == anyFolders:
			return true
		case !p[i].match(part, fold):
			return false
		}
	}
	return len(p) > len(parts)
}
