package review

import (
	"slices"
	"strings"

	"belay/internal/lazyregexp"
)

// plainSections are the sections of a configuration that name no program, with the
// keys that are known not to; none are any.
var plainSections = map[string][]string{
	"core": {
		"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks",
		"autocrlf", "eol", "safecrlf", "quotepath", "abbrev", "untrackedcache", "longpaths",
	},
	"remote":    {"url", "pushurl", "fetch", "push", "tagopt", "prune"},
	"user":      {"name", "email"},
	"submodule": {"active"},
	"branch":    nil, "pull": nil, "push": nil, "color": nil, "advice": nil,
}

var (
	gitSection = lazyregexp.New(`^\[([a-z]+)(?: "[^"\\]*")?\]$`)
	gitKey     = lazyregexp.New(`^([a-z][a-z0-9-]*)(?:[ \t]*=[^\\]*)?$`)
)

// PlainGitConfig reports whether all of a configuration of git is known to name no
// program: it has only keys that git itself writes.
func PlainGitConfig(text string) bool {
	if strings.Contains(text, "::") {
		return false // the address of a program, such as ext::
	}
	var keys []string
	known := false
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' || l[0] == ';' {
			continue
		}
		low := strings.ToLower(l)
		if s := gitSection.FindStringSubmatch(low); s != nil {
			if keys, known = plainSections[s[1]]; !known {
				return false
			}
			continue
		}
		k := gitKey.FindStringSubmatch(low)
		if k == nil || !known || keys != nil && !slices.Contains(keys, k[1]) {
			return false
		}
	}
	return true
}
