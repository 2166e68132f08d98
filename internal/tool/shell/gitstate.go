package shell

import (
	"strings"

	"belay/internal/journal"
)

// describeStash counts the entries of the stash, which its log has.
func (g *gitChange) describeStash() {
	const log = "logs/refs/stash"
	was, is := strings.Count(g.before(log), "\n"), strings.Count(g.after(log), "\n")
	switch {
	case is > was:
		g.addLine("%s stashed", count(is-was, "change"))
	case is < was:
		g.addLine("%s of the stash dropped", count(was-is, "change"))
	default:
		g.addLine("the stash changes")
	}
}

// gitStates are the files by which git remembers what it was about to do.
var gitStates = []struct{ file, what string }{
	{"MERGE_HEAD", "a merge"}, {"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"}, {"BISECT_LOG", "a bisect"},
	{"rebase-merge/head-name", "a rebase"}, {"rebase-apply/head-name", "a rebase"},
}

// describeState says what git is in the middle of.
func (g *gitChange) describeState() {
	for _, s := range gitStates {
		switch c := g.changes[s.file]; {
		case c == nil:
		case c.Before.Type == journal.None:
			g.addLine("%s waits to be finished", s.what)
		case c.After.Type == journal.None:
			g.addLine("%s has ended", s.what)
		}
	}
	for rest := range g.changes {
		if first, _, below := strings.Cut(rest, "/"); below && (first == "modules" || first == "worktrees") {
			g.addLine("submodules or other work trees change")
			return
		}
	}
}
