package shell

import (
	"strings"

	"belay/internal/journal"
	"belay/internal/quantity"
)

// Names of the stash and of the logs of names.
const (
	refStash = "refs/stash"
	logsDir  = "logs/"
	logStash = logsDir + refStash
	logHead  = logsDir + "HEAD"
)

// maxLog is how large a log may be that is compared as a whole, in bytes; of a larger one the
// size counts.
const maxLog = 1 << 20

// describeLogs says what of the logs goes: the entries of the stash, all but the newest, are
// nowhere else, and neither are commits that no branch has any more. A log that goes with its
// branch is not named.
func (g *gitChange) describeLogs(refs []gitRef) {
	stash := false
	gone := map[string]bool{}
	for _, r := range refs {
		stash = stash || r.name == refStash // it was described
		gone[r.name] = r.is == ""
	}
	if g.changes[logStash] != nil && !stash {
		g.describeStash()
	}
	removed, shortened := 0, 0
	for rest, c := range g.changes {
		name, is := strings.CutPrefix(rest, logsDir)
		if !is || rest == logStash || c.Before.Type != journal.File || c.Op == journal.Mode || gone[name] {
			continue
		}
		switch {
		case rest == logHead && c.After.Type != journal.File:
			g.addLine("the reflog of HEAD is removed")
		case rest == logHead && g.shrinks(rest, c):
			g.addLine("the reflog of HEAD loses entries")
		case c.After.Type != journal.File:
			removed++
		case g.shrinks(rest, c):
			shortened++
		}
	}
	if removed > 0 {
		g.addLine("the reflog of %s is removed", quantity.Count(removed, "branch", "branches"))
	}
	if shortened > 0 {
		g.addLine("the reflog of %s loses entries", quantity.Count(shortened, "branch", "branches"))
	}
}

// shrinks reports whether a log loses entries: git itself only adds some at the end.
func (g *gitChange) shrinks(rest string, c *journal.Change) bool {
	if max(c.Before.Size, c.After.Size) > maxLog {
		return c.After.Size < c.Before.Size
	}
	return !strings.HasPrefix(g.after(rest), g.before(rest))
}

// describeStash counts the entries of the stash, which its log has.
func (g *gitChange) describeStash() {
	entries := func(text string) map[string]int {
		all := map[string]int{}
		for line := range strings.Lines(text) {
			if fields := strings.Fields(line); len(fields) > 1 {
				all[fields[1]]++ // the commit; that of the entry before changes when one is dropped
			}
		}
		return all
	}
	was, is := entries(g.before(logStash)), entries(g.after(logStash))
	added, dropped := 0, 0
	for id, n := range is {
		added += max(0, n-was[id])
	}
	for id, n := range was {
		dropped += max(0, n-is[id])
	}
	if added > 0 {
		g.addLine("%s stashed", quantity.Count(added, "change", "changes"))
	}
	if dropped > 0 {
		g.addLine("%s of the stash dropped", quantity.Count(dropped, "change", "changes"))
	}
	if added+dropped == 0 {
		g.addLine("the stash changes")
	}
}
