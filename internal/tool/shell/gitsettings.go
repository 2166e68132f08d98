package shell

import (
	"strings"

	"belay/internal/journal"
	"belay/internal/permit/review"
)

// gitSettings are those changes of repositories that people read: settings, hooks, and a
// .git that is no folder. Of a repository that is made the settings that git itself writes
// are left out.
func gitSettings(changes []journal.Change) map[*journal.Change]bool {
	fresh := map[string]bool{}
	for i := range changes {
		if repo, rest, in := insideGit(string(changes[i].Path)); in && rest == "HEAD" && changes[i].Before.Type == journal.None {
			fresh[repo] = true
		}
	}
	texts := map[*journal.Change]bool{}
	for i := range changes {
		c := &changes[i]
		repo, rest, in := insideGit(string(c.Path))
		isFolder := c.Before.Type == journal.Folder || c.After.Type == journal.Folder
		if !in || isFolder || rest != "" && !gitSetting(rest) && (!strings.HasPrefix(rest, "info/") || rest == "info/refs") {
			continue
		}
		if fresh[repo] && (strings.HasPrefix(rest, "info/") || gitConfig(rest) && becomesPlain(c)) {
			continue
		}
		texts[c] = true
	}
	return texts
}

// becomesPlain reports whether a configuration becomes one that names no program.
func becomesPlain(c *journal.Change) bool {
	if c.After.Type != journal.File || c.Content == nil || c.After.Size > maxGitConfig {
		return false
	}
	text, err := readAll(c.Content)
	return err == nil && review.PlainGitConfig(string(text))
}
