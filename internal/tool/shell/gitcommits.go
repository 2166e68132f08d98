package shell

import (
	"fmt"
	"strings"

	"belay/internal/tool/files"
)

// Limits of what is said of new commits.
const (
	maxSubject = 100 // bytes
	maxNames   = 10
)

// describeCommits says what the last of new commits is called, and which files they change: a
// commit may have what the work tree has not.
func (g *gitChange) describeCommits(commits int, last string, names []string) {
	subject, err := g.objects.Subject(g.ctx, last)
	if err != nil {
		return // it was read before, and counted
	}
	what := "its message"
	if commits > 1 {
		what = "the last message"
	}
	said := fmt.Sprintf("%s is %q", what, cut(strings.ToValidUTF8(subject, "\uFFFD"), maxSubject))
	if len(names) > 0 {
		shown := make([]string, 0, maxNames+1)
		for _, name := range names[:min(len(names), maxNames)] {
			shown = append(shown, files.Printable(name))
		}
		said += "; it changes " + strings.Join(shown, ", ")
		if commits > 1 {
			said = strings.Replace(said, "; it changes ", "; they change ", 1)
		}
		if more := len(names) - maxNames; more > 0 {
			said += fmt.Sprintf(" and %d more", more)
		}
	}
	g.addLine("%s", said)
}
