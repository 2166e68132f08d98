package shell

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
)

// cloned is what git clone writes.
const cloned = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
[remote "origin"]
	url = https://example.com/x.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
`

// disguised are texts that seem to only look, to a person or to a parser, and change the
// project.
var disguised = []string{
	"sort -o new notes.md", "sort notes.md --outp new", "uniq notes.md new", "sed -n 'w new' notes.md", "sed '1e touch new' notes.md",
	"find . -maxdepth 0 -fprint new", "find notes.md -delete", `find . -maxdepth 0 -exec touch new \;`, `awk 'BEGIN{system("touch new")}'`,
	"git diff --no-index --output=new notes.md _STATUS.md", "git config core.fsmonitor evil", "git branch new $(git commit-tree -m x $(git mktree </dev/null))",
	"cat notes.md # x \\\nrm notes.md", "cat <<\"E\\\"OF\"\nE\"OF\nrm notes.md\nE\\\"OF", "cat <<EOF\nEO\\\nF\nrm notes.md\nEOF",
	"printf -v 'a[$(touch new)]' 1", "[ -v 'a[$(touch new)]' ]", "[[ 'a[$(touch new)]' -eq 1 ]]", "x='a[$(touch new)]'; echo $((x))",
	"PS4='$(touch new)'; set -x; ls", "ls() { rm notes.md; }; ls", "PATH=bin:$PATH; ls", "LESSOPEN='|touch new' env ls; ./bin/ls",
}

// Nobody has to tell such texts from others: none is asked about before it runs, and none
// changes the project. On an overlay a person is shown what it would change.
//
// Covers: turn-api REQ-04
func TestTextsThatOnlySeemToLook(t *testing.T) {
	t.Parallel()
	asNobodyToo(t, "TestTextsThatOnlySeemToLook")
	machines := maps.Clone(withoutOverlay)
	machines["an overlay"] = confine.Means{}
	for name, without := range machines {
		base, w := newProject(t)
		must(t, os.MkdirAll(filepath.Join(w.Project, "bin"), 0o755))
		must(t, os.WriteFile(filepath.Join(w.Project, "bin", "ls"), []byte("#!/bin/sh\ntouch new\n"), 0o755)) //nolint:gosec // a program
		s := newShell(t, base, Options{Without: without, Network: confine.NetworkNone, Environ: append(os.Environ(),
			"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e"), EnvNames: []string{"GIT_*"}})
		before := contents(t, w.Project)
		for _, text := range disguised {
			_, e := prepared(t, s, w, text, false)
			if r := (permit.Policy{Mode: permit.Plan}).Judge(e); r.Outcome != permit.Allow {
				t.Errorf("%s: %q is asked about: %+v", name, text, r)
			}
			changed, told := attempt(t, s, w, text)
			if name == "an overlay" && len(changed.Paths) == 0 && there(text) {
				t.Errorf("%q changed nothing: it shows nothing here: %s", text, told)
			}
			if changed := changedSince(t, before, w.Project); len(changed) > 0 {
				t.Fatalf("%s: %q has changed %q", name, text, changed)
			}
		}
	}
}

// there reports whether this machine has the program that a text begins with.
func there(text string) bool {
	name, _, _ := strings.Cut(text, " ")
	_, err := exec.LookPath(name)
	return err == nil || !slices.Contains([]string{"git", "awk"}, name)
}

// The programs that a repository of somebody else's names run in the sandbox like any
// other: they reach nothing outside, and change the project no more than other commands.
//
// Covers: turn-api REQ-04
func TestGitOfAHostileRepository(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: there is no git here")
	}
	asNobodyToo(t, "TestGitOfAHostileRepository")
	machines := maps.Clone(withoutOverlay)
	machines["an overlay"] = confine.Means{}
	for name, without := range machines {
		for what, tt := range map[string]struct {
			files   map[string]string
			command string
		}{
			"a monitor":                 {map[string]string{".git/config": cloned + "[core]\n\tfsmonitor = ./evil\n"}, "git status"},
			"a differ":                  {map[string]string{".git/config": cloned + "[diff]\n\texternal = ./evil\n"}, "git diff HEAD"},
			"another file":              {map[string]string{".git/config": cloned + "[include]\n\tpath = ../more\n", "more": "[core]\n\tfsmonitor = ./evil\n"}, "git status"},
			"a configuration elsewhere": {map[string]string{".git/commondir": "../.evil\n", ".evil/config": "[core]\n\tfsmonitor = ./evil\n"}, "git status"},
		} {
			base := tempDir(t)
			w := newPlace(t, base)
			outside := filepath.Join(base, "outside")
			must(t, os.WriteFile(outside, []byte("mine"), 0o666)) //nolint:gosec // anyone who can reach it may change it
			hostile(t, w, tt.files, outside)
			s := newShell(t, base, Options{Without: without, Network: confine.NetworkNone})
			before := contents(t, w.Project)
			_, told := attempt(t, s, w, tt.command)
			if _, err := w.ScratchRoot.Lstat("home/ran"); err != nil {
				t.Errorf("%s, %s: the program did not run: it shows nothing here: %s", name, what, told)
			}
			if changed := changedSince(t, before, w.Project); len(changed) > 0 {
				t.Errorf("%s, %s: these have changed: %q", name, what, changed)
			}
			if text, err := os.ReadFile(outside); err != nil || string(text) != "mine" {
				t.Errorf("%s, %s: the file outside is %q, %v", name, what, text, err)
			}
		}
	}
}

// hostile makes the project a repository with a commit and a program, which the files
// tell git to run.
func hostile(t *testing.T, w *tool.Environment, files map[string]string, outside string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "first"}} {
		must(t, os.WriteFile(filepath.Join(w.Project, "notes.md"), []byte("notes\n"), 0o600))
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", w.Project, "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.Scratch}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	files = maps.Clone(files)
	files["evil"] = "#!/bin/sh\necho x >\"$HOME/ran\"\necho x >planted\necho x >" + outside + "\n"
	files["notes.md"] = "other\n"
	if dir, ok := files[".git/commondir"]; ok { // objects and refs are looked for there too
		must(t, os.MkdirAll(filepath.Join(w.Project, strings.TrimSpace(strings.TrimPrefix(dir, "../"))), 0o755))
		for _, part := range []string{"objects", "refs"} {
			must(t, os.Rename(filepath.Join(w.Project, ".git", part), filepath.Join(w.Project, ".evil", part)))
		}
	}
	for name, text := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(w.Project, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(w.Project, name), []byte(text), 0o755)) //nolint:gosec // one is a program
	}
}

// changedSince are the files of a project that changed, without those of belay.
func changedSince(t *testing.T, before map[string]string, dir string) []string {
	t.Helper()
	return slices.DeleteFunc(table(before).changed(contents(t, dir)), func(name string) bool { return strings.HasPrefix(name, "/.belay/") })
}

// No text says whether a command reaches other machines. Where nothing of belay's stands
// between it and them, each may.
func TestNetworkOfACommand(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w := newPlace(t, base)
	for network, want := range map[confine.Network]bool{
		confine.NetworkNone: false, confine.NetworkAsk: false, confine.NetworkPorts: true, confine.NetworkOpen: true,
	} {
		s := newShell(t, base, Options{Network: network})
		for _, text := range []string{"ls", "curl example.com", "$X"} {
			if _, e := prepared(t, s, w, text, false); e.Network != want {
				t.Errorf("%s: %q may reach other machines: %v", network, text, e.Network)
			}
		}
	}
}
