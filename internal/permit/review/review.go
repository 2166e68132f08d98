// Package review says which changes of a project's files make something run. One
// [Table] lists the files; [Classify] looks changes up in it.
//
// The package is pure: it reads no file and asks nobody. A caller hands it what
// changed, with the content of the few files for which [NeedsContent] asks, and
// decides what a [Risk] means for a question. It does not know which files are
// protected: those are never applied, whatever their risk.
//
// Where the package cannot tell, it returns the higher risk. Names are compared as
// the least strict file system would, in every folder of the project. More changes
// never lower the risk of one of them.
//
// One limit remains: a link that the project has already is not followed. Where
// .vscode is a link to another folder, a later change in that folder is ordinary.
package review

import (
	"io/fs"
	"slices"
	"strings"

	"belay/internal/workspace"
)

// Risk says when a program may run because of a change. A higher risk is a greater
// number.
type Risk int

// The risks.
const (
	// Ordinary changes run nothing.
	Ordinary Risk = iota
	// OnRequest changes run when somebody builds, tests or starts the project.
	OnRequest
	// Automatic changes run without being asked for: when somebody opens or enters the
	// folder, uses git or installs dependencies, or when a server builds the project.
	Automatic
)

// String returns the risk in words for people.
func (r Risk) String() string {
	switch r {
	case OnRequest:
		return "runs when you ask for it"
	case Automatic:
		return "runs by itself"
	}
	return "ordinary"
}

// Entry is one changed path.
type Entry struct {
	// Path is relative to the project, with slashes.
	Path          string
	Before, After Version
}

// Version is what a path holds before or after a change. The zero value is a path that
// does not exist.
type Version struct {
	Exists bool
	// Mode has the type and the permissions.
	Mode fs.FileMode
	// Content is the whole content of a regular file, if Known.
	Content []byte
	Known   bool
}

// Options are facts about the project and its user that no change shows. The zero
// value is safe: it raises risks.
type Options struct {
	// GitPaths are files and folders of the project that configurations of git name:
	// core.hooksPath, include.path, programs. They are relative to the project, and "." is
	// all of it.
	GitPaths []string
	// GitUnread is set where there may be more of them: a configuration cannot be read.
	GitUnread bool
	// PathFolders are folders of the project that are in the user's PATH, "." for its top.
	PathFolders []string
	// PathAnywhere are those of the user's PATH that are looked up from the folder in which
	// a program is started, "." for that folder itself.
	PathAnywhere []string
	// Exists reports whether the project had a path before the changes.
	Exists func(path string) bool
}

// Finding is the risk of one entry.
type Finding struct {
	Path string
	Risk Risk
	// Reason is a clause without a subject, such as "is run by git". It is empty for
	// ordinary changes.
	Reason string
}

func (f *Finding) raise(risk Risk, reason string) {
	if risk > f.Risk {
		f.Risk, f.Reason = risk, reason
	}
}

// maxDepth bounds the work for a path. Deeper ones count as the highest risk.
const maxDepth = 200

// Classify returns one finding for each entry, in the same order.
func Classify(entries []Entry, o Options) []Finding {
	paths := make([][]string, len(entries))
	for i, e := range entries {
		paths[i] = components(e.Path)
	}
	c := &classifier{
		repositories: newRepositories(entries, paths, o.Exists),
		git:          namedPaths(o.GitPaths), unread: o.GitUnread,
		path: foldAll(o.PathFolders), anywhere: foldAll(o.PathAnywhere), starts: map[string][]pattern{},
	}
	findings := make([]Finding, len(entries))
	for i, e := range entries {
		findings[i] = c.classify(e, paths[i])
	}
	return findings
}

// classifier is the state of one call of [Classify].
type classifier struct {
	repositories        *repositories
	git, path, anywhere [][]string
	unread              bool
	// starts caches the patterns that a name may begin.
	starts map[string][]pattern
}

func (c *classifier) classify(e Entry, original []string) Finding {
	f := Finding{Path: e.Path}
	if len(original) > maxDepth {
		f.raise(Automatic, reasonDeep)
		return f
	}
	names := fold(original)
	c.gitChange(&f, e, original, names)
	link := e.After.Exists && !e.After.Mode.IsRegular()
	switch {
	case e.After.Mode.IsDir():
		return f // an empty folder runs nothing; its content has its own entries
	case !e.After.Exists:
		c.table(&f, names, patternUse{removal: true})
		return f
	}
	c.table(&f, names, patternUse{link: link})
	c.otherRepository(&f, original, names)
	if covers(c.git, names, link) {
		f.raise(Automatic, reasonGitPath)
	}
	if c.unread && !slices.ContainsFunc(names, func(n string) bool { return workspace.SameName(n, nameGit) }) {
		f.raise(Automatic, reasonGitUnread)
	}
	if c.inPath(names, &e.After, link) {
		f.raise(Automatic, reasonPath)
	}
	content(&f, e, names)
	return f
}

// table raises the risk to that of the rows that name the path.
func (c *classifier) table(f *Finding, names []string, use patternUse) {
	for i, name := range names {
		starts, ok := c.starts[name]
		if !ok {
			starts = startingWith(name)
			c.starts[name] = starts
		}
		for _, p := range starts {
			if p.matches(names[i:], use) && (p.row.Dependencies || !inDependencies(names[:i])) {
				f.raise(p.row.Risk, p.row.Reason)
			}
		}
	}
}

// components splits a path at both kinds of slashes: a name with a backslash is two
// names on Windows.
func components(path string) []string {
	names := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	kept := names[:0]
	for _, n := range names {
		if n != "." {
			kept = append(kept, n)
		}
	}
	return kept
}

// fold returns the names in the form in which they are compared.
func fold(names []string) []string {
	folded := make([]string, len(names))
	for i, n := range names {
		folded[i] = workspace.Fold(n)
	}
	return folded
}

func foldAll(paths []string) [][]string {
	all := make([][]string, len(paths))
	for i, p := range paths {
		all[i] = fold(components(p))
	}
	return all
}
