package files

import (
	"io"
	"os"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoring is what one folder's .gitignore says, on top of those around it. The
// zero of its pointer ignores nothing.
//
// It follows gitignore(5): the innermost file that says something about a path
// decides, in it the last pattern that matches; the content of an ignored folder is
// never looked at, so it cannot be taken back in. The patterns of
// .git/info/exclude count at the top; a user's global ones do not.
type ignoring struct {
	around *ignoring
	base   string // the folder, "" for the top
	rules  []ignoreRule
}

type ignoreRule struct {
	pattern string
	kind    ruleKind
	negated bool
	folders bool // only folders
	whole   bool // the path below the folder counts, not the name alone
}

// ruleKind is how a pattern is compared; most need no glob.
type ruleKind byte

const (
	ruleGlob   ruleKind = iota
	ruleExact           // the pattern has no special characters
	ruleSuffix          // the pattern is a star and this
)

const (
	maxIgnoreFile  = 256 << 10 // bytes of a .gitignore that are read
	maxIgnoreRules = 5000
)

// within adds the .gitignore of a folder, named by its path.
func (g *ignoring) within(folder *os.Root, base, file string) *ignoring {
	f, _, err := openFile(folder, file)
	if err != nil {
		return g
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return g
	}
	if rules := parseIgnore(string(data)); len(rules) > 0 {
		return &ignoring{around: g, base: base, rules: rules}
	}
	return g
}

func parseIgnore(text string) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if r, ok := parseIgnoreLine(strings.TrimRight(line, "\r\n")); ok && len(rules) < maxIgnoreRules {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnoreLine(line string) (r ignoreRule, ok bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.negated, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.folders, line = true, strings.TrimSuffix(line, "/")
	}
	r.whole = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	if !strings.ContainsAny(line, `*?[\`) {
		r.kind, r.pattern = ruleExact, line
		return r, true
	}
	if rest := line[1:]; line[0] == '*' && !r.whole && rest != "" && !strings.ContainsAny(rest, `*?[\`) {
		r.kind, r.pattern = ruleSuffix, rest
		return r, true
	}
	if strings.HasSuffix(line, "/**") {
		line += "/*" // all that is inside, and not the folder
	}
	r.pattern = braceless(line)
	return r, true
}

// braceless takes the meaning from braces, which git does not know.
func braceless(pattern string) string {
	if !strings.ContainsAny(pattern, "{}") {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
		case c == '{' || c == '}':
			b.WriteByte('\\')
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// ignores reports whether a path, below the top, is ignored.
func (g *ignoring) ignores(name string, folder bool) bool {
	for ; g != nil; g = g.around {
		below := name
		if g.base != "" {
			below = strings.TrimPrefix(name, g.base+"/")
		}
		for i := len(g.rules) - 1; i >= 0; i-- {
			if g.rules[i].matches(below, folder) {
				return !g.rules[i].negated
			}
		}
	}
	return false
}

func (r *ignoreRule) matches(name string, folder bool) bool {
	if r.folders && !folder {
		return false
	}
	if !r.whole {
		name = path.Base(name)
	}
	switch r.kind {
	case ruleExact:
		return name == r.pattern
	case ruleSuffix:
		return strings.HasSuffix(name, r.pattern)
	}
	ok, err := doublestar.Match(r.pattern, name)
	return ok && err == nil // a pattern that is none matches nothing
}
