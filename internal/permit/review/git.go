package review

import (
	"slices"
	"strings"

	"belay/internal/workspace"
)

const (
	nameGit = ".git"

	reasonGitPart   = "is a part of a git directory that decides what git runs"
	reasonGitConfig = "is a git configuration with keys that git itself does not write"
	reasonGitFile   = "says which git directory, with its hooks and configuration, git uses"
	reasonPlanted   = "makes the folder a git directory, whose hooks and configuration git obeys"
	reasonRebase    = "is run by git when the rebase continues"
	reasonGitEnds   = "keeps git from using the repository, so it may obey another one's hooks and configuration"
)

// gitConfigs are configurations in a git directory.
var gitConfigs = []string{"config", "config.worktree"}

// gitChange raises the risk to that of a change in each git directory that the path
// is in. There may be several: the repository of a submodule is in another's.
func (c *classifier) gitChange(f *Finding, e Entry, original, names []string) {
	inside := false // in a folder called .git
	folder := e.After.Mode.IsDir() || !e.After.Exists && e.Before.Mode.IsDir()
	for i := range len(names) + 1 {
		switch named := i > 0 && workspace.SameName(names[i-1], nameGit); {
		case named && i < len(names):
			inside = true
			c.gitPart(f, e, names[i:])
		case named && !folder:
			f.raise(Automatic, reasonGitFile)
		case named || i == len(names):
		default:
			is, was := c.repositories.at(original[:i], names[:i])
			// A HEAD that git cannot read keeps a folder from being one.
			head := !inside && i+1 == len(names) && names[i] == "head"
			if is && (!was || head) && e.After.Exists {
				f.raise(Automatic, reasonPlanted)
			} else if is {
				c.gitPart(f, e, names[i:])
			}
		}
	}
}

// gitPart raises the risk to that of a change of a part of a git directory.
func (c *classifier) gitPart(f *Finding, e Entry, rest []string) {
	base := rest[len(rest)-1]
	own := len(rest) == 1 || rest[0] == "modules" || rest[0] == "worktrees" // and not data of that name
	config := own && slices.Contains(gitConfigs, base)
	switch {
	case own && endsRepository(e, base):
		f.raise(Automatic, reasonGitEnds)
	case e.After.Mode.IsDir():
	case !e.After.Exists:
		// Without these files git may use another configuration, with other hooks. The
		// removal of the rest only takes programs away.
		if config || base == "commondir" && !e.Before.Mode.IsDir() {
			f.raise(Automatic, reasonGitPart)
		}
	case !e.After.Mode.IsRegular(): // git itself makes no links there
		f.raise(Automatic, reasonGitPart)
	case gitData(rest):
	case config:
		text, known := e.After.regular()
		if !known || !PlainGitConfig(string(text)) {
			f.raise(Automatic, reasonGitConfig)
		}
	case slices.Contains([]string{"rebase-merge", "rebase-apply", "sequencer"}, rest[0]):
		f.raise(OnRequest, reasonRebase)
	default:
		f.raise(Automatic, reasonGitPart)
	}
}

// endsRepository reports whether the change of a file or folder makes a git directory one no
// longer. Git then looks for another: in the folder itself, and in those above it.
func endsRepository(e Entry, base string) bool {
	switch base {
	case "objects", "refs":
		return !e.After.Exists
	case "head":
		if !e.After.Exists {
			return true
		}
		text, known := e.After.regular()
		return e.Before.Exists && e.After.Mode.IsRegular() && !(known && gitHead(string(text)))
	}
	return false
}

// gitHead reports whether git takes a text for what is checked out: a reference or an id.
func gitHead(text string) bool {
	if name, ok := strings.CutPrefix(text, "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(name, " \t\r\n"), "refs/")
	}
	id := strings.TrimSpace(text)
	return (len(id) == 40 || len(id) == 64) && hexadecimal(strings.ToLower(id))
}

// dataFiles are files in the top folder of a git directory that name no program.
var dataFiles = strings.Fields("index index.lock head head.lock packed-refs packed-refs.lock sharedindex.* *_head merge_* squash_msg auto_merge " +
	"*_editmsg bisect_* shallow description gc.log gc.pid")

// gitData reports whether a part of a git directory is only data. Each is listed, and
// objects by the form of their names: a git directory can also be among the objects.
func gitData(rest []string) bool {
	if rest[0] != "modules" && rest[0] != "worktrees" {
		return ownData(rest)
	}
	for i := 2; i < len(rest); i++ { // a submodule's name may have slashes
		if ownData(rest[i:]) {
			return true
		}
	}
	return false
}

// ownData is gitData without the git directories of submodules and worktrees.
func ownData(rest []string) bool {
	switch rest[0] {
	case "objects":
		return gitObject(rest[1:])
	case "refs", "logs":
		return len(rest) > 1
	case "hooks": // git runs no samples
		return len(rest) == 2 && strings.HasSuffix(rest[1], ".sample")
	case "info":
		return len(rest) == 2 && slices.Contains([]string{"exclude", "refs", "sparse-checkout"}, rest[1])
	}
	return len(rest) == 1 && slices.ContainsFunc(dataFiles, func(part string) bool { return glob(part, rest[0]) })
}

// gitObject reports whether a path below objects is that of an object, a pack or a
// list of them.
func gitObject(rest []string) bool {
	switch {
	case len(rest) == 1:
		return strings.HasPrefix(rest[0], "tmp_")
	case len(rest) == 3:
		return rest[0] == "info" && rest[1] == "commit-graphs"
	case len(rest) != 2:
		return false
	case rest[0] == "info":
		return rest[1] == "packs" || rest[1] == "commit-graph"
	case rest[0] == "pack":
		return slices.ContainsFunc([]string{"pack-", "multi-pack-index", "tmp_", ".tmp-"}, func(start string) bool { return strings.HasPrefix(rest[1], start) })
	}
	return len(rest[0]) == 2 && hexadecimal(rest[0]) && (hexadecimal(rest[1]) || strings.HasPrefix(rest[1], "tmp_"))
}

func hexadecimal(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
