package permit

import (
	"slices"
	"strings"
)

// gitOptions are those that git takes before its subcommand.
var gitOptions = wrapper{
	flags: []string{
		"-p", "--paginate", "-P", "--no-pager", "--bare", "--no-replace-objects", "--no-lazy-fetch", "--no-optional-locks", "--no-advice",
		"--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs",
		"-v", "--version", "-h", "--help", "--html-path", "--man-path", "--info-path", "--exec-path",
	},
	values: []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--attr-source"},
}

// withoutOptions is a call of git without the options before its subcommand: what a denial of
// the subcommand is about. It is false for other commands. What follows an option that is not
// known, or one that can give a subcommand another name, counts as unknown.
func (c Command) withoutOptions() (Command, bool) {
	if !strings.EqualFold(c.Name, "git") || len(c.Words) < 2 || c.Fixed < 2 || !strings.HasPrefix(c.Words[1], "-") {
		return c, false
	}
	words := make([]arg, 0, len(c.Words))
	for i, text := range c.Words[1:] {
		words = append(words, arg{text: text, dynamic: i+1 >= c.Fixed})
	}
	rest, ok := gitOptions.skip(words)
	skipped := len(words) - len(rest)
	renames := func(w arg) bool {
		key := strings.ToLower(w.text)
		return strings.HasPrefix(key, "alias.") || strings.HasPrefix(key, "include")
	}
	if !ok || slices.ContainsFunc(words[:skipped], renames) {
		return Command{Name: c.Name, Words: c.Words, Dynamic: true, Fixed: 1}, true
	}
	return Command{Name: c.Name, Words: slices.Concat(c.Words[:1], c.Words[1+skipped:]), Dynamic: c.Dynamic, Fixed: c.Fixed - skipped}, true
}
