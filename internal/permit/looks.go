package permit

import (
	"path"
	"slices"
	"strings"

	"belay/internal/lazyregexp"
)

// looker tells which commands only look at the project: those need no decision
// where the machine confines them. The list is short and each line of it was
// weighed: a program is on it only when nothing that it can be told makes it
// write, run another program, or reach a machine, or when the options that do
// are named here. A word that is not known beforehand, a path that leads out of
// the project, and a program from a folder of the project are never on it.
type looker struct {
	// moved is set where the command may run elsewhere than in the project's own
	// folder. A program that takes its configuration from where it runs, as git
	// does, may then take a planted one.
	moved bool
	// planted is set where what the project says git may run is not known.
	planted bool
}

// looker returns the measure for the parts of e.
func (e Effect) looker() looker {
	return looker{moved: path.Clean("/"+e.Dir) != "/" || e.moves(), planted: e.Planted}
}

// moves reports whether a part of the command changes the working folder.
func (e Effect) moves() bool {
	return slices.ContainsFunc(e.Commands, func(c Command) bool {
		return c.Name == "cd" || c.Name == "pushd" || c.Name == "popd"
	})
}

// options are what keeps a program from only looking.
type options struct {
	// long are option names without dashes, short letters. Programs take the
	// beginning of a long name for the whole, so beginnings are refused too.
	long  []string
	short string
	// words is the most words that are no options, when plain is set.
	plain bool
	words int
}

// viewers only look, but for the options named.
var viewers = func() map[string]options {
	m := map[string]options{
		"diff": {long: []string{"paginate"}, short: "l"},
		"file": {long: []string{"compile", "uncompress", "uncompress-noreport"}, short: "CzZ"},
		"sort": {long: []string{"output", "compress-program", "temporary-directory"}, short: "oT"},
		"tree": {short: "oR"},
		"rg":   {long: []string{"pre", "pre-glob", "hostname-bin", "search-zip"}, short: "z"},
		"wait": {short: "p"}, // sets a variable
		"uniq": {plain: true, words: 1}, "hostname": {plain: true, short: "Fb", long: []string{"file", "boot"}},
	}
	for _, name := range strings.Fields(`
		cat head tail wc ls pwd basename dirname realpath readlink stat du df cut tr nl tac rev fold expand unexpand
		paste join comm cmp cksum sum md5sum sha1sum sha256sum sha512sum b2sum seq sleep whoami id groups uname nproc
		arch which type grep egrep fgrep od hexdump strings column tsort ps uptime free jq
		cd : true false exit return break continue shift`) {
		m[name] = options{}
	}
	return m
}()

// only reports whether c does nothing but look at the project.
func (l looker) only(c Command) bool {
	switch name := program(c); name {
	case nameWrite, nameArithmetic:
		return false
	case "echo":
		return true
	case "printf":
		return c.Fixed > 1 && !strings.HasPrefix(c.Words[1], "-")
	case "<":
		return c.Fixed == 2 && !leadsOut(c.Words[1])
	default:
		if strings.HasSuffix(c.Name, "=") {
			return harmlessVariable(c)
		}
		if c.Dynamic || slices.ContainsFunc(c.Words[1:], leadsOut) {
			return false
		}
		if o, ok := viewers[name]; ok {
			return o.allow(c)
		}
		return l.special(name, c)
	}
}

// special decides on the programs that need more than a list of options.
func (l looker) special(name string, c Command) bool {
	words := c.Words[1:]
	if c.Fixed != len(c.Words) {
		return false
	}
	if len(words) == 1 && words[0] == "--version" {
		return slices.Contains(versioned, name)
	}
	switch name {
	case "command":
		return len(words) > 0 && (words[0] == "-v" || words[0] == "-V")
	case "test", "[":
		return !slices.Contains(words, "-v") && !slices.Contains(words, "-R")
	case "date":
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.HasPrefix(w, "+") && w != "-u" && w != "-I" && w != "--utc" })
	case "read":
		return !slices.ContainsFunc(words, func(w string) bool { return w != "-r" && !private.MatchString(w) })
	case "go":
		return len(words) == 1 && words[0] == "version" ||
			len(words) > 0 && words[0] == "env" && !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
	case "sed":
		return sedPrints(words)
	case "find":
		return findLooks(words)
	case "git":
		return !l.moved && !l.planted && gitLooks(words)
	}
	return false
}

// versioned are programs that may be asked for their version.
var versioned = []string{
	"git", "node", "npm", "pnpm", "yarn", "python", "python3", "pip", "pip3", "ruby", "perl", "php", "rustc", "cargo",
	"gcc", "clang", "make", "cmake", "java", "javac", "bash", "jq", "rg", "docker", "kubectl", "terraform", "deno", "bun", "uv",
}

// allow reports whether c keeps to what the options leave.
func (o options) allow(c Command) bool {
	plain := 0
	for i, w := range c.Words[1:] {
		if o.denies(w) {
			return false
		}
		// A name that a pattern finds may look like an option.
		if i+1 >= c.Fixed && (o.plain || o.any() && strings.IndexByte("*?[", w[0]) >= 0) {
			return false
		}
		if !strings.HasPrefix(w, "-") || w == "-" {
			plain++
		}
	}
	return !o.plain || plain <= o.words
}

// any reports whether there are options to refuse.
func (o options) any() bool { return o.short != "" || len(o.long) > 0 }

// denies reports whether a word is one of the options, or may be.
func (o options) denies(w string) bool {
	if long, ok := strings.CutPrefix(w, "--"); ok {
		long, _, _ = strings.Cut(long, "=")
		return long != "" && slices.ContainsFunc(o.long, func(d string) bool { return strings.HasPrefix(d, long) })
	}
	return len(w) > 1 && w[0] == '-' && strings.ContainsAny(w[1:], o.short)
}

// outward finds a path, or an option's value, that begins at the root, at a home
// or on a drive, or that goes up.
var outward = lazyregexp.New(`(?:^|=|^-[A-Za-z0-9]+)(?:[/~\\]|[A-Za-z]:[/\\])|(?:^|[=/\\:]|^-[A-Za-z0-9]+)\.\.(?:[/\\]|$)`)

// leadsOut reports whether a word may be a path that leads out of the project.
func leadsOut(w string) bool { return w != "/dev/null" && outward.MatchString(w) }

// calm are variables that change nothing but how things look.
var calm = []string{
	"LANG", "LANGUAGE", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "LINES", "TERM", "CI", "GOOS", "GOARCH",
	"CGO_ENABLED", "RUST_BACKTRACE", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "NODE_ENV", "DEBIAN_FRONTEND",
}

var calmValue = lazyregexp.New(`^[A-Za-z0-9_.:@+-]*$`)

// harmlessVariable reports whether setting the variable changes no program.
func harmlessVariable(c Command) bool {
	name := strings.TrimSuffix(c.Name, "=")
	value, ok := strings.CutPrefix(c.Words[0], c.Name)
	if !ok || c.Fixed != 1 {
		return false
	}
	return name == "IFS" || (slices.Contains(calm, name) || strings.HasPrefix(name, "LC_")) && calmValue.MatchString(value)
}
