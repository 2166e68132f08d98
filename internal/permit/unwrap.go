package permit

import (
	"slices"
	"strings"

	"belay/internal/lazyregexp"
)

// wrapper says how a program that runs another is called: its options, how many
// words come before the other program, and whether it is nothing but a way to
// run it.
type wrapper struct {
	// flags take no value, values take the next word. Other options make the
	// call opaque: what follows them is unknown.
	flags, values []string
	// words come before the program, such as the time of timeout.
	words int
	// assigns is set where NAME=value may come before the program.
	assigns bool
	// more is set where the program gets further words from elsewhere.
	more bool
	// counts is set where the wrapper needs a decision of its own.
	counts bool
}

var wrappers = map[string]wrapper{
	"env":     {flags: []string{"-i", "-", "--ignore-environment"}, values: []string{"-u", "--unset"}, assigns: true},
	"command": {flags: []string{"-p", "--"}},
	"builtin": {flags: []string{"--"}},
	"exec":    {flags: []string{"-c", "-l", "--"}, values: []string{"-a"}},
	"nohup":   {flags: []string{"--"}},
	"nice":    {values: []string{"-n", "--adjustment"}},
	"timeout": {flags: []string{"--foreground", "--preserve-status", "-v", "--verbose"}, values: []string{"-k", "-s", "--kill-after", "--signal"}, words: 1},
	"stdbuf":  {values: []string{"-i", "-o", "-e", "--input", "--output", "--error"}},
	"setsid":  {flags: []string{"-w", "-f", "-c", "--wait", "--fork"}},
	"ionice":  {values: []string{"-c", "-n", "--class", "--classdata"}},
	"taskset": {flags: []string{"-a", "-c", "--all-tasks", "--cpu-list"}, words: 1},
	"chrt": {flags: []string{"-a", "-b", "-d", "-f", "-i", "-o", "-r", "-R", "-v", "--batch", "--deadline", "--fifo", "--idle", "--other", "--rr", "--reset-on-fork", "--verbose"},
		values: []string{"-T", "-P", "-D", "--sched-runtime", "--sched-period", "--sched-deadline"}, words: 1},
	"flock": {flags: []string{"-e", "-F", "-n", "-o", "-s", "-u", "-x", "--exclusive", "--no-fork", "--nonblock", "--nb", "--close", "--shared", "--unlock", "--verbose"},
		values: []string{"-E", "-w", "--conflict-exit-code", "--timeout", "--wait"}, words: 1, counts: true},
	"time":    {flags: []string{"-p", "-v"}},
	"strace":  {counts: true},
	"ltrace":  {counts: true},
	"unshare": {counts: true},
	"setpriv": {counts: true},
	"prlimit": {counts: true},
	"numactl": {counts: true},
	"busybox": {}, "toybox": {},
	"xargs": {flags: []string{"-0", "-r", "-t", "-x", "--null", "--no-run-if-empty"}, more: true,
		values: []string{"-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a", "--max-args", "--max-procs", "--delimiter", "--arg-file"}},
	"sudo": {flags: []string{"-E", "-n", "-H", "-S", "-k", "--"}, values: []string{"-u", "-g", "--user", "--group"}, assigns: true, counts: true},
	"doas": {flags: []string{"-n"}, values: []string{"-u"}, counts: true},
}

// assignment is a word that env and sudo take for a variable.
var assignment = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_]*)=`)

// unwrap adds what the command of that name runs in turn, and reports whether
// the command does nothing else.
func (a *analysis) unwrap(name string, words []arg) bool {
	if w, ok := wrappers[name]; ok {
		return a.through(name, w, words[1:])
	}
	switch name {
	case "find":
		a.finds(words)
	case "eval":
		return a.evaluates(words[1:])
	case "trap":
		a.traps(words[1:])
	case "bash":
		return a.shell(words[1:])
	case "sh", "dash", "ash":
		// Which shell sh is, differs. What bash and a plain one read in two ways is opaque.
		plain := &analysis{scripts: a.scripts, posix: true}
		plain.shell(words[1:])
		at := len(a.cmds)
		wraps := a.shell(words[1:])
		a.opaque = a.opaque || plain.opaque || !sameCommands(a.cmds[at:], plain.cmds)
		return wraps
	case "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh":
		// Their languages are others.
		a.opaque = a.opaque || len(words) == 1 || strings.HasPrefix(words[1].text, "-") || !words[1].fixed()
	case "script", "watch", "su", "runuser", "chroot", "nsenter", "setarch", "parallel", "gdb", "expect":
		// They run a shell, or what other texts name.
		a.opaque = true
	case "alias", "hash", "enable", "complete", "compgen", "bind":
		// They can make a name mean something else, or run a command.
		a.opaque = a.opaque || len(words) > 1
	case "shopt", "set":
		a.opaque = a.opaque || slices.ContainsFunc(words[1:], func(w arg) bool {
			return !w.fixed() || w.text == "expand_aliases" || w.text == "extdebug"
		})
	case "read", "test", "[", "printf", "unset", "wait", "getopts":
		a.opaque = a.opaque || slices.ContainsFunc(words[1:], func(w arg) bool { return substitutes(w.text) && !w.dynamic })
	case "mapfile", "readarray":
		a.opaque = a.opaque || slices.ContainsFunc(words[1:], func(w arg) bool {
			return !w.fixed() || strings.HasPrefix(w.text, "-C") || substitutes(w.text) // runs a command
		})
	}
	return false
}

// through adds the program behind a wrapper.
func (a *analysis) through(name string, w wrapper, words []arg) bool {
	if name == "command" && len(words) > 0 && (words[0].text == "-v" || words[0].text == "-V") {
		return false // asks where a program is
	}
	rest, ok := w.skip(words)
	if !ok || name == "xargs" && replacesOther(words) {
		a.opaque = true
		return false
	}
	for w.assigns && len(rest) > 0 {
		m := assignment.FindStringSubmatch(rest[0].text)
		if m == nil {
			break
		}
		c := command(m[1]+"=", rest[:1])
		c.Class = c.Name
		a.add(c)
		rest = rest[1:]
	}
	if len(rest) < w.words || slices.ContainsFunc(rest[:min(w.words, len(rest))], func(x arg) bool { return !x.fixed() }) {
		a.opaque = true
		return false
	}
	if rest = rest[w.words:]; len(rest) == 0 && !w.more {
		return false
	}
	if len(rest) == 0 {
		rest = []arg{{text: "echo"}} // what xargs runs where no command is named
	}
	if w.more {
		rest = append(slices.Clone(rest), arg{text: "…", dynamic: true})
	}
	a.simple(rest)
	return !w.counts
}

// skip goes over the wrapper's own options.
func (w wrapper) skip(rest []arg) ([]arg, bool) {
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		text := rest[0].text
		name, _, valued := strings.Cut(text, "=")
		switch {
		case !rest[0].fixed():
			return nil, false
		case slices.Contains(w.flags, text):
			rest = rest[1:]
			if text == "--" {
				return rest, true
			}
		case slices.Contains(w.values, text):
			if len(rest) < 2 || !rest[1].fixed() {
				return nil, false
			}
			rest = rest[2:]
		case valued && slices.Contains(w.values, name),
			len(text) > 2 && text[1] != '-' && slices.Contains(w.values, text[:2]):
			rest = rest[1:] // the value is in the same word
		default:
			return nil, false
		}
	}
	return rest, true
}

// replacesOther reports whether xargs puts its input in the place of something
// else than {}, which no program's name can hold.
func replacesOther(words []arg) bool {
	for i, w := range words {
		if w.text == "-I" && (i+1 == len(words) || words[i+1].text != "{}") {
			return true
		}
		if strings.HasPrefix(w.text, "-I") && len(w.text) > 2 && w.text != "-I{}" {
			return true
		}
	}
	return false
}

// finds adds what find runs for each file.
func (a *analysis) finds(words []arg) {
	for i := 0; i < len(words); i++ {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, words[i].text) {
			continue
		}
		end := i + 1
		for end < len(words) && words[end].text != ";" && (words[end].text != "+" || words[end-1].text != "{}") {
			end++
		}
		inner := slices.Clone(words[i+1 : end])
		for k, w := range inner {
			if strings.Contains(w.text, "{}") { // a file's name takes its place
				inner[k].dynamic = true
			}
		}
		if len(inner) == 0 {
			a.opaque = true
			return
		}
		a.simple(inner)
		i = end
	}
}
