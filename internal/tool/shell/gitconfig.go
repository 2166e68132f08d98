package shell

import (
	"bytes"
	"io/fs"
	"os"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/lazyregexp"
	"belay/internal/permit"
)

// What is read of a repository before a command of git that only looks may run
// without a question.
const (
	maxGitConfig = 256 << 10
	maxGitIndex  = 64 << 20
)

// gitRuns reports whether git, in the project's own folder, may run a program that the
// project names: git status runs what core.fsmonitor says, git diff what diff.external
// does. A repository that was made by somebody else comes with its configuration. What
// is not known to be harmless counts as a program.
func gitRuns(project *os.Root) bool {
	if _, err := project.Lstat("HEAD"); err == nil {
		return true // the folder itself may be a repository
	}
	info, err := project.Lstat(".git")
	if err != nil {
		return !os.IsNotExist(err)
	}
	if !info.IsDir() {
		return true // it is elsewhere
	}
	for _, name := range []string{"commondir", "config.worktree", "modules", "hooks/post-index-change"} {
		if _, err := project.Lstat(".git/" + name); !os.IsNotExist(err) {
			return true
		}
	}
	config, _, err := durable.ReadFile(project, ".git/config", maxGitConfig)
	return err != nil && !os.IsNotExist(err) || !plainGitConfig(string(config)) || hasSubmodules(project)
}

// hasSubmodules reports whether the index may have repositories in it, into which git
// looks with their own configuration. Their mode, 160000, may be found where it is not
// one.
func hasSubmodules(project *os.Root) bool {
	entries, err := fs.ReadDir(project.FS(), ".git")
	if err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), "sharedindex") }) {
		return true
	}
	index, _, err := durable.ReadFile(project, ".git/index", maxGitIndex)
	if err != nil {
		return !os.IsNotExist(err)
	}
	return bytes.Contains(index, []byte{0, 0, 0xe0, 0})
}

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

var (
	gitSection = lazyregexp.New(`^\[([a-z]+)(?: "[^"\\]*")?\]$`)
	gitKey     = lazyregexp.New(`^([a-z][a-z0-9-]*)(?:[ \t]*=[^\\]*)?$`)
)

// plainGitConfig reports whether all of a configuration is known to name no program.
func plainGitConfig(text string) bool {
	if strings.Contains(text, "::") {
		return false // the address of a program, such as ext::
	}
	var keys []string
	known := false
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' || l[0] == ';' {
			continue
		}
		low := strings.ToLower(l)
		if s := gitSection.FindStringSubmatch(low); s != nil {
			if keys, known = plainSections[s[1]]; !known {
				return false
			}
			continue
		}
		k := gitKey.FindStringSubmatch(low)
		if k == nil || !known || keys != nil && !slices.Contains(keys, k[1]) {
			return false
		}
	}
	return true
}

// usesGit reports whether git is one of the programs.
func usesGit(all []permit.Command) bool {
	return slices.ContainsFunc(all, func(c permit.Command) bool { return strings.Contains(c.Name, "git") })
}
