package risk_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belay/internal/permit/review"
	"belay/internal/tool/risk"
)

const hooksPath = "[core]\n\thooksPath = tools/hooks\n"

// What a configuration of git names is found wherever git finds the configuration.
func TestWhereGitFindsConfigurations(t *testing.T) {
	t.Parallel()
	const hook = "tools/hooks/pre-commit"
	for name, test := range map[string]struct {
		files []string // BASE stands for the folder that they are in
		want  string
	}{
		"its own":               {[]string{"project/.git/config", hooksPath}, hook},
		"none":                  {[]string{"project/.git/config", "[core]\n\tbare = false\n"}, ""},
		"a remark":              {[]string{"project/.git/config", "[core] hooksPath = tools/hooks # ours\n"}, hook},
		"quotes":                {[]string{"project/.git/config", "[core]\nhooksPath = \"tools\"/hooks ; ours\n"}, hook},
		"a line that goes on":   {[]string{"project/.git/config", "[core]\nhooksPath = tools/\\\nhooks\n"}, hook},
		"an absolute path":      {[]string{"project/.git/config", "[core]\nhooksPath = BASE/project/tools/hooks\n"}, hook},
		"through a link":        {[]string{"project/.git/config", "[core]\nhooksPath = BASE/link/tools/hooks\n", "link@", "project"}, hook},
		"a link in the project": {[]string{"project/.git/config", "[core]\nhooksPath = hooks\n", "project/hooks@", "tools/hooks"}, hook},
		"the project itself":    {[]string{"project/.git/config", "[core]\nhooksPath = .\n"}, "all"},
		"a worktree of another repository": {[]string{
			"project/.git", "gitdir: BASE/main/.git/worktrees/w\n", "main/.git/worktrees/w/commondir", "../..\n", "main/.git/config", hooksPath,
		}, hook},
		"the configuration of one worktree": {[]string{
			"project/.git", "gitdir: ../main/.git/worktrees/w\n", "main/.git/worktrees/w/commondir", "../..\n", "main/.git/worktrees/w/config.worktree", hooksPath,
		}, hook},
		"a repository around it":    {[]string{".git/config", "[core]\nhooksPath = project/tools/hooks\n"}, hook},
		"a repository in it":        {[]string{"project/sub/.git/config", hooksPath, "project/sub/tools/hooks/", ""}, "sub/" + hook},
		"a submodule":               {[]string{"project/sub/.git", "gitdir: ../.git/modules/sub\n", "project/.git/modules/sub/config", "[core]\nworktree = ../../../sub\nhooksPath = tools/hooks\n", "project/sub/tools/hooks/", ""}, "sub/" + hook},
		"a work tree that it names": {[]string{"project/.git/config", "[core]\nworktree = ../sub\nhooksPath = tools/hooks\n"}, hook + " sub/" + hook},
		"a bare one":                {[]string{"project/bare/HEAD", "", "project/bare/objects/", "", "project/bare/refs/", "", "project/bare/config", "[core]\nhooksPath = x\n"}, "bare/x/pre-commit"},
		"an include":                {[]string{"project/.git/config", "[include]\n\tpath = ../settings\n", "project/settings", hooksPath}, hook + " settings"},
		"an include to come":        {[]string{"project/.git/config", "[include]\n\tpath = ../settings\n"}, "settings"},
		"a condition":               {[]string{"project/.git/config", "[includeIf \"onbranch:x\"]\n\tpath = more\n", "project/.git/more", hooksPath}, hook},
		"a circle":                  {[]string{"project/.git/config", "[include]\n\tpath = more\n", "project/.git/more", "[include]\n\tpath = config\n" + hooksPath}, hook},
		"the person's":              {[]string{"home/.gitconfig", hooksPath}, hook},
		"the person's, in another":  {[]string{"home/.gitconfig", "[include]\npath = more\n", "home/more", hooksPath}, hook},
		"the person's, by a link":   {[]string{"home/.gitconfig@", "../project/dotfiles/git", "project/dotfiles/git", ""}, "dotfiles/git"},
		"a configuration elsewhere": {[]string{"project/.git/config@", "../settings", "project/settings", ""}, "settings"},
		"a hook that is a link":     {[]string{"project/.git/hooks/pre-commit@", "../../tools/hooks/pre-commit"}, hook},
		"hooks that are a link":     {[]string{"project/.git/hooks@", "../tools/hooks"}, hook},
		"no repository":             {[]string{"project/.git/", ""}, ""},
	} {
		base := t.TempDir()
		for i := range test.files {
			test.files[i] = strings.ReplaceAll(test.files[i], "BASE", base)
		}
		put(t, base, test.files...)
		p := open(t, base)
		p.GitConfigs = []string{filepath.Join(base, "home/.gitconfig")}
		for _, path := range []string{hook, "sub/" + hook, "bare/x/pre-commit", "settings", "dotfiles/git"} {
			if got, want := runs(p, path), test.want == "all" || slices.Contains(strings.Fields(test.want), path); got != want {
				t.Errorf("%s: %s runs by itself: %v", name, path, got)
			}
		}
	}
}

// Programs of the project that a configuration names run by themselves, and what it names
// otherwise does not.
func TestProgramsOfConfigurations(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	put(t, base, "project/tools/clean.sh", "", "project/my tools/x.sh", "", "project/run.sh", "", "project/store/", "", "project/docs/", "", "project/code/", "")
	p := open(t, base)
	for setting, want := range map[string]string{
		"[filter \"x\"]\nclean = ./tools/clean.sh %f":                                                             "tools/clean.sh",
		"[filter \"x\"]\nprocess = tools/clean.sh":                                                                "tools/clean.sh",
		"[core]\nfsmonitor = BASE/project/tools/clean.sh":                                                         "tools/clean.sh",
		"[core]\nfsmonitor = tools/later.sh":                                                                      "tools/later.sh",
		"[diff \"x\"]\ntextconv = sh run.sh":                                                                      "run.sh",
		"[diff]\nexternal = \"'my tools/x.sh' -a\"":                                                               "my tools/x.sh",
		"[diff]\nexternal = my\\\\ tools/x.sh -a":                                                                 "my tools/x.sh",
		"[merge \"x\"]\ndriver = sh -c 'tools/clean.sh %O'":                                                       "tools/clean.sh",
		"[core]\nsshCommand = X=1 PATH=tools:$PATH ./run.sh":                                                      "run.sh, tools/clean.sh, tools/later.sh, tools/hooks/x",
		"[core]\npager = less|./run.sh":                                                                           "run.sh",
		"[alias]\nx = \"!$(git rev-parse --show-toplevel)/run.sh\"":                                               "run.sh",
		"[alias]\nx = \"!f() { sh ${PWD}/tools/clean.sh; }; f\"":                                                  "tools/clean.sh",
		"[alias]\nx = -c core.hooksPath=tools/hooks commit":                                                       "tools/hooks/x",
		"[remote \"x\"]\nurl = ext::./run.sh %S":                                                                  "run.sh",
		"[credential]\nhelper = !python3 store/helper.py":                                                         "store/helper.py",
		"[gpg]\nprogram = python3 docs":                                                                           "docs/x",
		"[core]\nfsmonitor = tools/../run.sh":                                                                     "run.sh",
		"[diff \"x\"]\ntextconv = sh other":                                                                       "other",
		"[alias]\nls = \"!git config -l | grep alias | sed s/^alias.// | sed s/\\\\ /\\\\ =\\\\ /\"":              "",
		"[alias]\ngone = \"!git branch --merged | grep -v '\\\\(master\\\\|develop\\\\)' | xargs git branch -d\"": "",
		"[alias]\nf = \"!find . -name x -exec echo {} \\\\;\"\nw = \"!awk '{print \\\\$2}'\"":                     "",
		"[diff \"tex\"]\nxfuncname = \"^(\\\\\\\\.|#)\"":                                                          "",
		"[alias]\nr = show HEAD:run.sh":                                                                           "",
		"[lfs]\nfetchexclude = docs/":                                                                             "",
		"[maintenance]\nrepo = BASE/project":                                                                      "",
		"[core]\nhooksPath =":                                                                                     "",
		"[core]\npager = delta\n[interactive]\ndiffFilter = delta --color-only\n[filter \"lfs\"]\nclean = git-lfs clean -- %f\nrequired\n[url \"git@host:\"]\ninsteadOf = https://host/": "",
		"[credential]\nhelper = store":          "",
		"[core]\neditor = code --wait":          "",
		"[alias]\nd = log docs":                 "",
		"[safe]\ndirectory = BASE/project/docs": "",
		"[core]\nworktree = ../docs":            "",
		"[core]\neditor = vi .":                 "",
		"[remote \"x\"]\nurl = ./docs":          "",
	} {
		put(t, base, "project/.git/config", strings.ReplaceAll(setting, "BASE", base)+"\n")
		for _, name := range []string{"tools/clean.sh", "tools/later.sh", "run.sh", "my tools/x.sh", "tools/hooks/x", "store/helper.py", "store/a.go", "docs/x", "code/x", "other"} {
			if got := runs(p, name); got != slices.Contains(strings.Split(want, ", "), name) {
				t.Errorf("%s: %s runs by itself: %v", setting, name, got)
			}
		}
	}
}

// Where a configuration is there and cannot be read, or has too much to be looked at, anything
// may run by itself. Looking has an end.
func TestConfigurationsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	chain := []string{"project/.git/config", "[include]\npath = c0\n"}
	wide := []string{"project/.git/config", ""}
	var words strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&words, "a/%d ", i)
	}
	for i := range 5100 {
		chain = append(chain, fmt.Sprintf("project/.git/c%d", i), fmt.Sprintf("[include]\npath = c%d\n", i+1))
		wide[1] += fmt.Sprintf("[include]\npath = w%d\n", i)
		wide = append(wide, fmt.Sprintf("project/.git/w%d", i), "")
	}
	for name, files := range map[string][]string{
		"no configuration":    {"project/.git/config", "[core\n"},
		"a folder":            {"project/.git/config/", ""},
		"a device":            {"project/.git/config@", "/dev/zero"},
		"a large one":         {"project/.git/config", strings.Repeat("# a remark\n", 100_000)},
		"many words":          {"project/.git/config", "[x]\ny = " + words.String()},
		"includes in another": chain,
		"many includes":       wide,
		"no pointer":          {"project/.git", "x\n"},
		"a loop of links":     {"project/.git@", ".git"},
		"the person's":        {"home/.gitconfig", "[core\n"},
		"one around it":       {".git/config", "[core]\nx = \"\n"},
		"one in it":           {"project/a/.git/config", "[core]\nx = \"\n"},
	} {
		base := t.TempDir()
		put(t, base, files...)
		p := open(t, base)
		p.GitConfigs = []string{filepath.Join(base, "home/.gitconfig")}
		must(t, os.MkdirAll(filepath.Join(base, "project/a"), 0o755))
		if !runs(p, "a/b") {
			t.Errorf("%s: what git may run is ordinary", name)
		}
		if info, err := os.Stat(filepath.Join(base, "project/.git")); err == nil && info.IsDir() && runs(p, ".git/refs/heads/main") {
			t.Errorf("%s: data of git runs by itself", name)
		}
	}
}

// The configurations of the person are where git itself reads them.
func TestGitConfigs(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("skipped: there is no git here")
	}
	base := t.TempDir()
	put(t, base, "system", "[a]\nx = 1\n", "global", "[a]\nx = 1\n", "xdg/git/config", "[a]\nx = 1\n", "home/.config/git/config", "[a]\nx = 1\n", "home/.gitconfig", "[a]\nx = 1\n")
	home := filepath.Join(base, "home")
	for _, set := range [][]string{
		{"GIT_CONFIG_SYSTEM"}, {"GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"}, {"GIT_CONFIG_SYSTEM", "XDG_CONFIG_HOME"},
	} {
		environ := map[string]string{}
		all := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
		for _, name := range set {
			environ[name] = filepath.Join(base, map[string]string{"GIT_CONFIG_SYSTEM": "system", "GIT_CONFIG_GLOBAL": "global", "XDG_CONFIG_HOME": "xdg"}[name])
			all = append(all, name+"="+environ[name])
		}
		cmd := exec.CommandContext(t.Context(), git, "config", "--list", "--show-origin", "--null")
		cmd.Dir, cmd.Env = base, all
		out, err := cmd.Output()
		must(t, err)
		var want []string
		for part := range strings.SplitSeq(string(out), "\x00") {
			if file, ok := strings.CutPrefix(part, "file:"); ok {
				want = append(want, file)
			}
		}
		if got := risk.GitConfigs(func(name string) string { return environ[name] }, home); !slices.Equal(got, want) {
			t.Errorf("%v: git reads %v, and not %v", set, want, got)
		}
	}
	if got := risk.GitConfigs(func(string) string { return os.DevNull }, home); len(got) > 1 {
		t.Errorf("a person who has none has %v", got)
	}
}

// Many changed files cost a look at each of their folders, once.
func BenchmarkFindings(b *testing.B) {
	base := b.TempDir()
	put(b, base, "project/.git/config", hooksPath, "project/many/", "")
	p := open(b, base)
	var entries []review.Entry
	for i := range 1000 {
		entries = append(entries, review.Entry{Path: fmt.Sprintf("many/%d", i), After: review.Version{Exists: true, Mode: 0o644}})
	}
	for b.Loop() {
		p.Findings(entries)
	}
}
