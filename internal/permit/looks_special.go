package permit

import (
	"slices"
	"strings"

	"belay/internal/lazyregexp"
)

// sedScript prints lines, or leaves some out. Nothing else that sed knows is
// taken: its w writes and its e runs.
var sedScript = lazyregexp.New(`^(?:[0-9]+|\$|/[A-Za-z0-9_ .-]*/)?(?:,(?:\+?[0-9]+|\$|/[A-Za-z0-9_ .-]*/))? ?[pdq=]$`)

func sedPrints(words []string) bool {
	for len(words) > 0 && (words[0] == "-n" || words[0] == "-E" || words[0] == "-r" || words[0] == "-ne") {
		words = words[1:]
	}
	if len(words) == 0 || slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") }) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(words[0], ";"), func(s string) bool { return !sedScript.MatchString(strings.TrimSpace(s)) })
}

// findWords are the words of find that look. Those that run programs are listed
// because the programs are commands of their own; those that write or remove
// are not.
var findWords = strings.Fields(`-H -L -P -O0 -O1 -O2 -O3 -depth -maxdepth -mindepth -mount -xdev -daystart -follow -noleaf
	-regextype -warn -nowarn -amin -anewer -atime -cmin -cnewer -ctime -empty -executable -false -fstype -gid -group -ilname
	-iname -inum -ipath -iregex -iwholename -links -lname -mmin -mtime -name -newer -nogroup -nouser -path -perm -readable
	-regex -samefile -size -true -type -uid -used -user -wholename -writable -xtype -print -print0 -printf -prune -quit -ls
	-a -and -o -or -not -exec -execdir -ok -okdir`)

func findLooks(words []string) bool {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") {
			for i < len(words) && words[i] != ";" && words[i] != "+" {
				i++ // the program's own words, a command of its own
			}
			continue
		}
		if strings.HasPrefix(w, "-") && !slices.Contains(findWords, w) && !takesNumber(words, i) {
			return false
		}
	}
	return true
}

// takesNumber reports whether the word is a number behind a test: -mtime -1.
func takesNumber(words []string, i int) bool {
	return i > 0 && slices.Contains([]string{"-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-size", "-perm", "-links", "-used"}, words[i-1]) &&
		!strings.ContainsFunc(words[i][1:], func(r rune) bool { return (r < '0' || r > '9') && !strings.ContainsRune("ckMGbw", r) })
}

// gitViews are the subcommands of git that look, with the options that do not;
// gitLists those that only look without further words than the ones named.
var (
	gitOptions = options{long: []string{"output", "ext-diff", "textconv", "filters", "open-files-in-pager", "show-signature", "config-env"}}
	gitViews   = []string{
		"status", "log", "diff", "show", "rev-parse", "ls-files", "ls-tree", "blame", "describe", "shortlog", "rev-list",
		"merge-base", "cat-file", "count-objects", "name-rev",
	}
	gitLists = map[string][]string{
		"branch":   {"-a", "-r", "-v", "-vv", "--all", "--remotes", "--list", "--show-current"},
		"tag":      {"-l", "--list"},
		"remote":   {"-v"},
		"stash":    {"list"},
		"worktree": {"list"},
	}
)

func gitLooks(words []string) bool {
	for len(words) > 0 && (words[0] == "--no-pager" || words[0] == "-P") {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	sub, words := words[0], words[1:]
	if list, ok := gitLists[sub]; ok {
		if (sub == "stash" || sub == "worktree") && len(words) == 0 {
			return false // the bare word does something
		}
		return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(list, w) })
	}
	return slices.Contains(gitViews, sub) && !slices.ContainsFunc(words, func(w string) bool {
		return gitOptions.denies(w) || strings.Contains(w, "%G") // asks the signature's program
	})
}
