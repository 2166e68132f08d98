package declared

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// clean is a path as it is opened from the folder that people call what, or why it
// cannot be.
func clean(p, what string) (string, error) {
	return cleaned(strings.ReplaceAll(strings.TrimSpace(p), `\`, "/"), p, what)
}

// cleaned is clean for a path with slashes; p is how its author wrote it.
func cleaned(slashed, p, what string) (string, error) {
	scheme, _, isURL := strings.Cut(slashed, "://")
	switch {
	case strings.ContainsRune(slashed, 0):
		return "", errors.New("the path has a NUL")
	case isURL && strings.EqualFold(scheme, "file"):
		return "", fmt.Errorf("a path is written without file://, from %s on", what)
	case isURL: // not repeated: it may have credentials in it
		return "", errors.New("this is an address, and paths are needed; write it as url")
	case slashed == "~", strings.HasPrefix(slashed, "~/"):
		return "", fmt.Errorf("%q: ~ is not known here; paths begin at %s", p, what)
	case path.IsAbs(slashed), len(slashed) > 1 && slashed[1] == ':':
		return "", fmt.Errorf("%q is absolute; paths begin at %s%s", p, what, hintOf(what))
	}
	c := path.Clean(slashed)
	if c == ".." || strings.HasPrefix(c, "../") {
		return "", fmt.Errorf("%q leads out of %s%s", p, what, hintOf(what))
	}
	return c, nil
}

// hintOf is the next step after a path that leads out of a folder.
func hintOf(what string) string {
	if what == ownFolder {
		return baseHint
	}
	return ""
}

// escapable are the characters from which a backslash takes their meaning. Before
// another character a backslash stands between folders, as on Windows.
const escapable = `*?[]{}\`

// pattern is one as it is looked for; a literal one is a path.
type pattern struct {
	text    string
	literal bool
}

// cleanPattern is a pattern as it is looked for in the folder that people call what, or
// why it cannot be.
func cleanPattern(text, what string) (pattern, error) {
	p, err := cleaned(slashes(strings.TrimSpace(text)), text, what)
	switch {
	case err != nil:
		return pattern{}, err
	case !doublestar.ValidatePattern(p):
		return pattern{}, fmt.Errorf("%q is no pattern: a bracket or brace is not closed; a backslash before it takes its meaning away", text)
	case alternatives(p) > maxAlternatives:
		return pattern{}, fmt.Errorf("%.80q stands for more than %d patterns by its braces", text, maxAlternatives)
	case !isPattern(p):
		return pattern{unescape(p), true}, nil
	}
	return pattern{p, false}, nil
}

// slashes makes slashes of the backslashes that stand between folders.
func slashes(p string) string {
	if !strings.Contains(p, `\`) {
		return p
	}
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] != '\\':
			b.WriteByte(p[i])
		case i+1 < len(p) && strings.IndexByte(escapable, p[i+1]) >= 0:
			b.WriteString(p[i : i+2])
			i++
		default:
			b.WriteByte('/')
		}
	}
	return b.String()
}

// isPattern reports whether a pattern can match more than the one path.
func isPattern(p string) bool {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '*', '?', '[', '{':
			return true
		}
	}
	return false
}

// unescape is the path that a pattern stands for which is none.
func unescape(p string) string {
	if !strings.Contains(p, `\`) {
		return p
	}
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] == '\\' && i+1 < len(p) {
			i++
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// maxAlternatives is how many patterns one with braces may stand for: each is looked
// for on its own.
const maxAlternatives = 1000

// alternatives is how many patterns one with braces stands for, at most: what is
// within other braces counts as if it stood beside them. It stops counting where there
// are too many.
func alternatives(p string) int {
	all := 1
	var open []int // the commas of the braces that are open
	for _, c := range p {
		switch {
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) > 0:
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			if all *= open[len(open)-1]; all > maxAlternatives {
				return all
			}
			open = open[:len(open)-1]
		}
	}
	return all
}

// unnamed are the own folders of belay and git that a pattern does not name.
func unnamed(p pattern) []string {
	parts := strings.FieldsFunc(p.text, func(r rune) bool { return strings.ContainsRune("/{,}", r) })
	return slices.DeleteFunc(slices.Clone(ownFolders), func(name string) bool { return slices.Contains(parts, name) })
}

// literal is match for a pattern that is none.
func (f *Folder) literal(p string) ([]Source, error) {
	info, err := f.root.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%q is a folder; write %s/* for the files in it", p, p)
	}
	return []Source{{Path: p}}, nil // what is wrong with it is said when it is opened
}
