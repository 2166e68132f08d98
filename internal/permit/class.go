package permit

import (
	"slices"
	"strings"
)

// counting are the parts of a command that an answer for the session is about: those
// that do something, or all where none does.
func (e Effect) counting() (parts []Command) {
	parts = slices.DeleteFunc(slices.Clone(e.Commands), func(c Command) bool { return c.Wraps })
	if active := slices.DeleteFunc(slices.Clone(parts), Command.harmless); len(active) > 0 {
		return active
	}
	return parts
}

// maxClassBytes is the longest class; a longer one is remembered for nothing.
const maxClassBytes = 200

// naming says how the commands of a program are distinguished.
type naming struct {
	// sub counts the words after the program that belong to its class; deeper
	// gives another count for some of the first of them.
	sub    int
	deeper map[string]int
	// flags are options before the subcommand that change nothing that it does.
	flags []string
}

var namings = map[string]naming{
	"git": {sub: 1, flags: []string{"--no-pager", "-P"},
		deeper: map[string]int{"stash": 2, "remote": 2, "worktree": 2, "submodule": 2, "bisect": 2, "notes": 2, "lfs": 2}},
	"go":    {sub: 1, deeper: map[string]int{"mod": 2, "work": 2, "tool": 2, "run": 2}},
	"cargo": {sub: 1}, "rustup": {sub: 2},
	"npm":  {sub: 1, deeper: map[string]int{"run": 2, "run-script": 2, "exec": 2, "x": 2, "config": 2}},
	"pnpm": {sub: 1, deeper: map[string]int{"run": 2, "exec": 2, "dlx": 2}},
	"yarn": {sub: 1, deeper: map[string]int{"run": 2, "dlx": 2, "exec": 2}},
	"bun":  {sub: 1, deeper: map[string]int{"run": 2, "x": 2}},
	"deno": {sub: 1, deeper: map[string]int{"run": 2, "task": 2}},
	"uv":   {sub: 1, deeper: map[string]int{"run": 2, "pip": 2, "tool": 2}},
	"pip":  {sub: 1}, "pip3": {sub: 1}, "poetry": {sub: 1, deeper: map[string]int{"run": 2}},
	"gem": {sub: 1}, "bundle": {sub: 1, deeper: map[string]int{"exec": 2}},
	"docker": {sub: 1, deeper: map[string]int{"compose": 2, "container": 2, "image": 2, "volume": 2, "network": 2, "buildx": 2}},
	"podman": {sub: 1}, "kubectl": {sub: 1, deeper: map[string]int{"config": 2, "rollout": 2, "auth": 2}},
	"helm": {sub: 1}, "terraform": {sub: 1, deeper: map[string]int{"state": 2, "workspace": 2}},
	"gh": {sub: 2}, "glab": {sub: 2}, "aws": {sub: 2}, "gcloud": {sub: 3}, "az": {sub: 2},
	"systemctl": {sub: 1}, "apt": {sub: 1}, "apt-get": {sub: 1}, "brew": {sub: 1}, "dnf": {sub: 1},
	"svn": {sub: 1}, "hg": {sub: 1}, "jj": {sub: 1}, "dotnet": {sub: 1}, "mix": {sub: 1}, "swift": {sub: 1},
	"belay": {sub: 2},

	"npx": {sub: 1}, "pnpx": {sub: 1}, "bunx": {sub: 1}, "uvx": {sub: 1}, "pipx": {sub: 2},
	"python": {sub: 1, deeper: interpreted}, "python2": {sub: 1, deeper: interpreted}, "python3": {sub: 1, deeper: interpreted},
	"node": {sub: 1}, "ruby": {sub: 1}, "perl": {sub: 1}, "php": {sub: 1}, "lua": {sub: 1}, "Rscript": {sub: 1}, "java": {sub: 1},
	"sh": {sub: 1}, "bash": {sub: 1}, "dash": {sub: 1}, "zsh": {sub: 1}, "ksh": {sub: 1}, "fish": {sub: 1},
	"source": {sub: 1}, ".": {sub: 1}, "osascript": {sub: 1}, "systemd-run": {sub: 1},
}

// interpreted are options of python after which a module's name follows.
var interpreted = map[string]int{"-m": 2}

// whole are programs each call of which is its own kind: the words say what is
// done, and no part of them alone.
var whole = []string{
	"make", "gmake", "just", "task", "rake", "ninja", "ssh", "watch", "script", "strace", "ltrace", "gdb", "flock",
	"parallel", "chroot", "unshare", "nsenter", "su", "runuser", "export", "declare", "alias",
}

// classOf is the class of a command, "" where it has none.
func classOf(c Command) string {
	name := program(c)
	if slices.Contains(whole, name) {
		return wholeClass(c)
	}
	n, ok := namings[name]
	if !ok {
		return capClass(name, 1, c)
	}
	at := subcommand(name, c.Words)
	if at == len(c.Words) {
		return capClass(name, 1, c)
	}
	count := n.sub
	if d, ok := n.deeper[c.Words[at]]; ok {
		count = d
	}
	// An option where the subcommand should be may change what it means, as
	// git -c does: such a call is a kind of its own.
	if _, known := n.deeper[c.Words[at]]; strings.HasPrefix(c.Words[at], "-") && !known && !inline(name, c.Words[at]) {
		return wholeClass(c)
	}
	end := min(at+count, len(c.Words))
	for i := at + 1; i < end; i++ {
		if strings.HasPrefix(c.Words[i], "-") {
			return wholeClass(c)
		}
	}
	return capClass(strings.Join(append([]string{name}, c.Words[at:end]...), " "), end, c)
}

// subcommand is where in a program's words its subcommand is, or an option that
// may hide it; len(words) where there is neither.
func subcommand(name string, words []string) int {
	at := 1
	for at < len(words) {
		switch {
		case slices.Contains(namings[name].flags, words[at]):
			at++
		case name == "git" && words[at] == "-c" && at+1 < len(words) && plainGitSetting(words[at+1]):
			at += 2
		default:
			return at
		}
	}
	return at
}

// plainGitSettings are keys of git's configuration that run no program, change no
// address and weaken no check, whatever their value is. One that ends with a point
// stands for all keys of its section.
var plainGitSettings = []string{
	"user.name", "user.email", "author.name", "author.email", "committer.name", "committer.email",
	"color.", "column.", "advice.", "i18n.", "log.", "status.", "gc.auto", "init.defaultbranch",
	"core.quotepath", "core.autocrlf", "core.safecrlf", "core.filemode", "core.abbrev",
	"push.default", "pull.rebase", "pull.ff", "merge.ff", "merge.conflictstyle", "rebase.autosquash",
}

// plainGitValues are settings that are plain with this value only.
var plainGitValues = []string{"commit.gpgsign=false", "tag.gpgsign=false", "core.pager=cat", "core.fsmonitor=false"}

// plainGitSetting reports whether a setting that is given to git with -c changes nothing
// of what kind the call is.
func plainGitSetting(setting string) bool {
	key, _, _ := strings.Cut(strings.ToLower(setting), "=")
	return slices.Contains(plainGitValues, strings.ToLower(setting)) || slices.ContainsFunc(plainGitSettings, func(plain string) bool {
		return key == plain || strings.HasSuffix(plain, ".") && strings.HasPrefix(key, plain)
	})
}

// inline reports whether the option makes the interpreter run what the next word
// says; then the option is the kind.
func inline(name, option string) bool {
	switch name {
	case "python", "python2", "python3":
		return option == "-c"
	case "node", "ruby", "perl", "lua":
		return option == "-e"
	case "php":
		return option == "-r"
	}
	return false
}

// wholeClass is all that the command says.
func wholeClass(c Command) string {
	return capClass(strings.Join(c.Words, " "), len(c.Words), c)
}

// capClass returns class, which is made of the first n words, if those are known
// and it is short.
func capClass(class string, n int, c Command) string {
	if c.Fixed < min(n, len(c.Words)) || len(class) > maxClassBytes {
		return ""
	}
	return class
}
