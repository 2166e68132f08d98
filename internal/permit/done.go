package permit

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A question shows at most so many paths of a kind, with so many bytes in all: it has
// to fit into a file of the store.
const (
	maxShownPaths = 200
	maxShownBytes = 8 << 10
)

// Shown is the effect as a question shows it: no more than 200 files or 8 KiB of names
// of each kind, and the folders of files that git ignores in place of these.
func (e Effect) Shown() Effect {
	own := func(s string) string { return s }
	if e.Done != nil {
		e.Paths = e.unignored()
		done := *e.Done
		done.Ignored = shown(done.Ignored, func(i Ignored) string { return i.Path })
		e.Done = &done
	}
	e.Paths = shown(e.Paths, own)
	e.Automatic, e.OnRequest, e.Runs = shown(e.Automatic, own), shown(e.OnRequest, own), shown(e.Runs, own)
	e.Repositories = shown(e.Repositories, func(r Repository) string { return r.Path + strings.Join(r.Does, "") })
	return e
}

// shown is the beginning of a list that a question has room for.
func shown[T any](list []T, text func(T) string) []T {
	size := 0
	for i, entry := range list {
		if size += len(text(entry)); i == maxShownPaths || size > maxShownBytes {
			return list[:i:i]
		}
	}
	return list
}

// unignored are the paths without those that git ignores.
func (e Effect) unignored() []string {
	hidden := map[string]bool{}
	for _, i := range e.Done.Ignored {
		hidden[i.Path] = true
	}
	var paths []string
	for _, p := range e.Paths {
		covered := false
		for at := p; at != "." && !covered; at = path.Dir(at) {
			covered = hidden[at]
		}
		if !covered {
			paths = append(paths, p)
		}
	}
	return paths
}

// onlyIgnored reports whether a command changed nothing but what git ignores.
func (e Effect) onlyIgnored() bool {
	if e.Done == nil || e.Done.Files == 0 {
		return false
	}
	total := 0
	for _, i := range e.Done.Ignored {
		total += i.Files
	}
	return total == e.Done.Files
}

// judgeDone rules on what a command really changed, which is not real yet. In this
// order: a deny rule about files refuses; plan mode refuses; folders with more in them
// than was listed are asked about where a rule may deny one of them; files that other programs
// run by themselves are asked about, unless a rule names them; a rule that allows the command, or the change of all of these files, allows; acceptEdits
// allows; everything else is asked about.
func (p Policy) judgeDone(e Effect) (r Ruling, final bool) {
	for _, rule := range p.Denied {
		if rule.Names(writeTool) && rule.hits(e) {
			return Ruling{Refuse, "the rule " + rule.text + " denies what it changed", rule.text}, true
		}
	}
	if p.Mode == Plan {
		return Ruling{Refuse, "the mode plan changes nothing", ""}, true
	}
	if folder, rule := p.mayDeny(e.Whole); rule != "" {
		return Ruling{Ask, folder + " has more files in it than could be compared with the rule " + rule, rule}, true
	}
	if len(e.Automatic) > 0 {
		return p.judgeAutomatic(e)
	}
	if rule := p.allowsDone(e); rule != "" {
		return Ruling{Allow, "the rule " + rule + " allows it", rule}, false
	}
	if p.Mode == AcceptEdits {
		return Ruling{Allow, "the mode acceptEdits allows changes within the write scope", ""}, false
	}
	return Ruling{Ask, e.changed(), ""}, false
}

// mayDeny returns a rule that may deny something in one of some folders, "" where there is none.
func (p Policy) mayDeny(folders []string) (folder, rule string) {
	for _, rule := range p.Denied {
		if !rule.bounded || !rule.Names(writeTool) {
			continue
		}
		if i := slices.IndexFunc(folders, func(f string) bool { return rule.denied.mayDeny(f) }); i >= 0 {
			return folders[i], rule.text
		}
	}
	return "", ""
}

// allowsDone returns the rule that allows what a command changed, "" where none does.
func (p Policy) allowsDone(e Effect) string {
	if rule := p.allows(e); rule != "" {
		return rule
	}
	for _, rule := range p.Allowed {
		if rule.Names(writeTool) && (!rule.bounded || rule.covers(e.files())) {
			return rule.text
		}
	}
	return ""
}

// judgeAutomatic rules on changes that other programs run by themselves: they are
// asked about in every mode, unless a rule with a pattern names all of the files.
func (p Policy) judgeAutomatic(e Effect) (r Ruling, final bool) {
	files := e.files()
	for _, rule := range p.Allowed {
		if rule.bounded && (rule.Names(writeTool) || e.Done == nil && rule.Names(e.Tool)) && rule.covers(files) {
			return Ruling{Allow, "the rule " + rule.text + " allows it", rule.text}, false
		}
	}
	return Ruling{Ask, e.runsByItself(), ""}, true
}

// unlisted stands for everything in a folder that comes whole: a pattern that matches it
// ends in ** there.
const unlisted = "/any/file/at all"

// files is what rules about files have to cover of a command's changes.
func (e Effect) files() Effect {
	paths := slices.Clone(e.Paths)
	for _, folder := range e.Whole {
		paths = append(paths, folder+unlisted)
	}
	return Effect{Kind: Write, Paths: paths}
}

// runsByItself is why a change is asked about in every mode.
func (e Effect) runsByItself() string {
	if n := len(e.Automatic); n > 1 {
		return fmt.Sprintf("it is asked about in every mode: %s, and %d more", e.Automatic[0], n-1)
	}
	return "it is asked about in every mode: " + strings.Join(e.Automatic, "")
}

// changed is why what a command changed is asked about.
func (e Effect) changed() string {
	verb := ", which are not real yet"
	if e.Done.Files == 1 {
		verb = ", which is not real yet"
	}
	return "the command changed " + e.Extent() + verb
}

// Extent counts what a command changed: files, and repositories of git.
func (e Effect) Extent() string {
	count := func(n int, one, more string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", n, more)
	}
	repos := len(e.Repositories)
	only := e.Done.Files - repos
	switch {
	case repos == 0 || only < 0:
		return count(e.Done.Files, "file", "files")
	case only == 0:
		return count(repos, "repository", "repositories")
	}
	return count(only, "file", "files") + " and " + count(repos, "repository", "repositories")
}

// maxIgnoredNamed is how many ignored folders a line names.
const maxIgnoredNamed = 3

// IgnoredLine says in a line what a command changed of what git ignores, "" for
// nothing.
func (d *Done) IgnoredLine() string {
	var named []string
	total := 0
	for i, f := range d.Ignored {
		total += f.Files
		if i < maxIgnoredNamed {
			named = append(named, f.Path)
		}
	}
	switch more := len(d.Ignored) - len(named); {
	case total == 0:
		return ""
	case more > 0:
		return fmt.Sprintf("%d ignored files below %s and %d more folders", total, strings.Join(named, ", "), more)
	case total == 1:
		return "1 ignored file, " + named[0]
	}
	return fmt.Sprintf("%d ignored files below %s", total, strings.Join(named, ", "))
}
