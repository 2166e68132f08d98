package review

import (
	"slices"
	"strings"

	"belay/internal/workspace/gitconfig"
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

// PlainGitConfig reports whether all of a configuration of git is known to name no
// program: it has only keys that git itself writes.
func PlainGitConfig(text string) bool {
	if strings.Contains(text, `\`) {
		return false // git writes none there, and programs that are not git may read it in another way
	}
	all, err := gitconfig.Parse(text)
	return err == nil && !slices.ContainsFunc(all, func(s gitconfig.Setting) bool { return !PlainGitSetting(&s) })
}

// PlainGitSetting reports whether a setting of git is known to name no program.
func PlainGitSetting(s *gitconfig.Setting) bool {
	keys, known := plainSections[s.Section]
	return known && (keys == nil || slices.Contains(keys, s.Key)) && !strings.Contains(s.Value, "::") // the address of a program, such as ext::
}
