package shell

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/journal"
	"belay/internal/quantity"
	"belay/internal/tool"
)

// gitRef is a name that leads elsewhere now; an id is "" where there is none.
type gitRef struct{ name, was, is string }

// refs are the branches, tags and other names that change, by their names.
func (g *gitChange) refs() (all []gitRef) {
	packedWas := packedRefs(g.before("packed-refs"))
	packedIs := packedWas
	names := map[string]bool{}
	if g.changes["packed-refs"] != nil {
		packedIs = packedRefs(g.after("packed-refs"))
		for name, id := range packedWas {
			names[name] = names[name] || packedIs[name] != id
		}
		for name, id := range packedIs {
			names[name] = names[name] || packedWas[name] != id
		}
	}
	for rest, c := range g.changes {
		if strings.HasPrefix(rest, "refs/") && c.Before.Type != journal.Folder && c.After.Type != journal.Folder {
			names[rest] = true
		}
	}
	for name, changed := range names {
		if !changed || len(all) == maxGitRefs {
			continue
		}
		r := gitRef{name, refID(g.before(name), packedWas[name]), refID(g.after(name), packedIs[name])}
		if r.was != r.is {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b gitRef) int { return strings.Compare(a.name, b.name) })
	return all
}

// refID is the id that a file of a ref holds, or else the packed one.
func refID(file, packed string) string {
	if id := strings.TrimSpace(file); isID(id) {
		return id
	}
	return packed
}

func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func packedRefs(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && isID(id) {
			all[name] = id
		}
	}
	return all
}

// headID is the commit that HEAD leads to, "" for none.
func (g *gitChange) headID(read func(rest string) string) string {
	text := strings.TrimSpace(read("HEAD"))
	name, symbolic := strings.CutPrefix(text, "ref: ")
	if !symbolic {
		return refID(text, "")
	}
	return refID(read(name), packedRefs(read("packed-refs"))[name])
}

// describeHead says where HEAD leads now.
func (g *gitChange) describeHead() {
	if g.changes["HEAD"] == nil {
		return
	}
	where := func(text string) string {
		text = strings.TrimSpace(text)
		if name, ok := strings.CutPrefix(text, "ref: refs/heads/"); ok {
			return "branch " + tool.Printable(name)
		}
		if isID(text) {
			return "commit " + text[:12] + " and no branch"
		}
		return "what git cannot read"
	}
	was, is := where(g.before("HEAD")), where(g.after("HEAD"))
	switch {
	case g.changes["HEAD"].Before.Type == journal.None:
	case was != is:
		g.addLine("the work tree is on %s now, and was on %s", is, was)
	}
}

// refKind splits the name of a ref into what it is and how people call it.
func refKind(name string) (kind, short string) {
	for prefix, kind := range map[string]string{"refs/heads/": "branch", "refs/tags/": "tag", "refs/remotes/": "remote branch"} {
		if short, ok := strings.CutPrefix(name, prefix); ok {
			return kind, tool.Printable(short)
		}
	}
	return "", tool.Printable(name)
}

// describeRef says the outcome of a branch, a tag or another name.
func (g *gitChange) describeRef(r gitRef) {
	kind, short := refKind(r.name)
	full := strings.TrimSpace(kind + " " + short)
	switch {
	case r.name == refStash:
		g.describeStash()
		return
	case r.is == "":
		g.addLine("%s is deleted", full)
		return
	case kind == "tag" || kind == "":
		verb := "moves"
		if r.was == "" {
			verb = "is new"
		}
		g.addLine("%s %s", full, verb)
		return
	}
	old, base := []string{r.was}, r.was
	if r.was == "" {
		base = g.headID(g.before)
		if old = nil; base != "" {
			old = []string{base}
		}
	}
	ahead, behind, err := g.objects.Between(g.ctx, old, r.is)
	var names []string
	if err == nil {
		names, err = g.objects.Files(g.ctx, base, r.is)
	}
	switch {
	case err != nil && r.was == "":
		g.addLine("%s is new, at %s", full, r.is[:12])
	case err != nil:
		g.addLine("%s moves from %s to %s", full, r.was[:12], r.is[:12])
	case r.was == "" && ahead == 0:
		g.addLine("%s is new", full)
	case r.was == "":
		g.addLine("%s is new: %s, %s", full, quantity.Count(ahead, "commit", "commits"), quantity.Count(len(names), "file", "files"))
	case behind == 0:
		g.addLine("%s on %s, %s", quantity.Count(ahead, "commit", "commits"), short, quantity.Count(len(names), "file", "files"))
	case ahead == 0:
		g.addLine("%s goes back by %s, %s", full, quantity.Count(behind, "commit", "commits"), quantity.Count(len(names), "file", "files"))
	default:
		g.addLine("%s is rewritten: %s in the place of %d, %s", full, quantity.Count(ahead, "commit", "commits"), behind, quantity.Count(len(names), "file", "files"))
	}
	if err == nil && ahead > 0 {
		g.describeCommits(ahead, r.is, names)
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
	said := fmt.Sprintf("%s is %q", what, tool.Clip(strings.ToValidUTF8(subject, "\uFFFD"), maxSubject))
	if len(names) > 0 {
		shown := make([]string, 0, maxNames+1)
		for _, name := range names[:min(len(names), maxNames)] {
			shown = append(shown, tool.Printable(name))
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
