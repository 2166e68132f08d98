package shell

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/permit"
	"belay/internal/tool"
)

// attempt runs a command and returns what a person would be asked about, and what the
// model is told.
func attempt(t *testing.T, s *Shell, w *tool.Environment, command string) (permit.Effect, string) {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Prepare(t.Context(), w, raw)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(command))
	r, err := c.Run(tool.WithOrigin(t.Context(), tool.Origin{CallID: "call", ChangeID: "chg_" + hex.EncodeToString(sum[:12])}))
	if err != nil {
		t.Fatal(err)
	}
	if r.Changes == nil {
		return permit.Effect{}, r.Text
	}
	e := r.Changes.Effect()
	if _, err := r.Changes.Discard(t.Context(), "it is a test"); err != nil {
		t.Fatal(err)
	}
	return e, r.Text
}

// A question leaves nothing out that a command changed.
func TestNothingIsHidden(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	s, w := newShell(t, base, Options{}), newPlace(t, base)
	for name, text := range map[string]string{"notes.md": "words\n", "old/x": "x\n", "src/main.c": "int main;\n"} {
		name = filepath.Join(w.Project, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string][]string{
		"echo >run; chmod 755 run":                              {"run: a program, permissions -rwxr-xr-x\n"},
		"echo more >>notes.md; chmod 777 notes.md":              {"notes.md: permissions -rw-r--r-- become -rwxrwxrwx\n", "+more\n"},
		"mkdir -p a/b; echo >notes.md":                          {"a/b/: a new folder\n", "-words\n"},
		"rm -r old; echo >notes.md":                             {"old/: a folder, removed\n", "-x\n"},
		"seq 1 50000 >aaa; echo last >zzz":                      {"more bytes of the diff of aaa\n", "+last\n"},
		"printf x >\"$(printf 'two\\nlines')\"; chmod 700 two*": {`"two\nlines": a program`},
		"ln -s notes.md \"$(printf 'a\\nlink')\"":               {`"a\nlink": a link to notes.md`},
	} {
		e, told := attempt(t, s, w, command)
		for _, text := range want {
			if !strings.Contains(e.Diff, text) {
				t.Errorf("%s: the diff does not say %q:\n%s\n%s", command, text, e.Diff, told)
			}
		}
	}
	for command, want := range map[string]string{
		"mkdir -p sub/.belay; echo >sub/.belay/x": "sub/.belay/x was not changed: it is belay's own",
		"echo >\"$(printf 'a\\xffb')\"":           "its name is no UTF-8 text",
		"ln -s /root/x out":                       "out was not changed: the link leads out of the project",
	} {
		if _, told := attempt(t, s, w, command); !strings.Contains(told, want) {
			t.Errorf("%s: the model is told %q, not %q", command, told, want)
		}
	}
}

// What git keeps is never hidden as ignored, and the end of a repository is asked about
// in every mode.
func TestRepositoriesAreShown(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	s, w := newShell(t, base, Options{}), newPlace(t, base)
	if r, err := callShell(t, s, w, input{Command: "git init -q . && echo one >a && git add a && git -c user.name=A -c user.email=a@example.com commit -q -m first && echo '*' >.gitignore"}); err != nil || r.Failed {
		t.Fatalf("%+v, %v", r, err)
	}
	e, _ := attempt(t, s, w, "echo two >a; echo >b")
	if !strings.Contains(e.Diff, "+two\n") || len(e.Done.Ignored) != 1 || e.Done.Ignored[0].Path != "b" {
		t.Errorf("of a file that git keeps and one that it ignores a person sees\n%s\n%+v", e.Diff, e.Done)
	}
	if e, told := attempt(t, s, w, "rm -rf .git"); !strings.Contains(strings.Join(e.Automatic, "\n"), ".git is removed with its history") {
		t.Errorf("the end of a repository is asked about as %q: %s", e.Automatic, told)
	}
	for _, command := range []string{"rm -rf .git/objects/??", "rm -rf .git/objects .git/refs", "for f in $(find .git/objects -type f); do rm -f $f; echo >$f; done"} {
		e, told := attempt(t, s, w, command)
		does := ""
		for _, r := range e.Repositories {
			does += strings.Join(r.Does, "\n")
		}
		if !strings.Contains(strings.Join(e.Automatic, "\n"), "objects of .git, which hold its history, are removed or replaced") || !strings.Contains(does, "3 files with objects removed or replaced") {
			t.Errorf("%s is asked about as %q, and described as %q: %s", command, e.Automatic, does, told)
		}
	}
	objects := filepath.Join(w.Project, ".git/objects")
	must(t, os.CopyFS(filepath.Join(w.Project, ".git/modules/sub/objects"), os.DirFS(objects)))
	if e, told := attempt(t, s, w, "rm -rf .git/modules/sub/objects"); !strings.Contains(strings.Join(e.Automatic, "\n"), "objects of .git/modules/sub, which hold its history") {
		t.Errorf("the history of a submodule is asked about as %q: %s", e.Automatic, told)
	}
	for _, command := range []string{"git gc -q", "git gc -q; git gc -q", "echo x >a; git -c user.name=A -c user.email=a@example.com commit -qam x; git repack -adq"} {
		if e, told := attempt(t, s, w, command); len(e.Automatic) > 0 || len(e.Repositories) != 1 {
			t.Errorf("%s is asked about as %q: %s", command, e.Automatic, told)
		}
	}
	if e, told := attempt(t, s, w, "rm a; mkdir a; echo x >a/x"); len(e.Automatic) > 0 {
		t.Errorf("a folder in the place of a file is taken for a repository: %q, %s", e.Automatic, told)
	}
	if e, told := attempt(t, s, w, "chmod 777 .git/hooks"); e.Done != nil {
		t.Errorf("the permissions of a repository's folder would change: %+v, %s", e, told)
	}
	if e, _ := attempt(t, s, w, "git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m second"); len(e.Repositories) != 1 || !strings.HasPrefix(e.Repositories[0].Does[0], "1 commit on ") || len(e.Automatic) > 0 {
		t.Errorf("a commit is shown as %q, %q", e.Repositories, e.Automatic)
	}
}

// However much a command changes, a question about it has an end.
func TestAQuestionHasAnEnd(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	s, w := newShell(t, base, Options{}), newPlace(t, base)
	e, told := attempt(t, s, w, "git init -q . && mkdir a .git/refs/heads/x && cd a && seq -f 'a-folder-with-a-long-name-%g' 4000 | xargs mkdir && cd ../.git/refs/heads/x && for i in $(seq 2000); do echo 0123456789abcdef0123456789abcdef01234567 >$i; done")
	if e.Done == nil || len(e.Diff) > shownDiff+shownOfEach+100 || !strings.Contains(e.Diff, " more changes\n") {
		t.Errorf("the diff has %d bytes and ends with %q: %s", len(e.Diff), e.Diff[max(0, len(e.Diff)-100):], told)
	}
}

// What was applied by a process that died before it could say so counts as applied, and
// a choice of files that the command did not change drops nothing.
func TestApplied(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	s, w := newShell(t, base, Options{}), newPlace(t, base)
	ctx := tool.WithOrigin(t.Context(), tool.Origin{CallID: "call", ChangeID: "chg_0123456789abcdef"})
	run := func() tool.Changes {
		t.Helper()
		c, err := s.Prepare(ctx, w, []byte(`{"command":"echo new >file; mkdir folder; echo x >folder/x"}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(ctx)
		if err != nil || r.Changes == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Changes
	}
	first := run()
	if r, err := first.Apply(ctx, []string{"elsewhere"}); err != nil || !strings.Contains(r.Text, "nothing of what it changed is real: a person allowed other files than it changed") {
		t.Errorf("a choice of nothing: %q, %v", r.Text, err)
	}
	again := run() // those that are kept
	for name, text := range map[string]string{"file": "new\n", "folder/x": "x\n"} {
		name = filepath.Join(w.Project, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := again.Apply(ctx, nil); err != nil || strings.Contains(r.Text, "kept") {
		t.Errorf("what is real already: %q, %v", r.Text, err)
	}
	if left, err := os.ReadDir(filepath.Join(w.Project, ".belay", "changes")); err != nil || len(left) > 0 {
		t.Errorf("there is still %v, %v", left, err)
	}
}

// A chosen file brings the folder that it needs, also where a file stood.
func TestChosenFilesHaveTheirFolders(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	s, w := newShell(t, base, Options{}), newPlace(t, base)
	if err := os.WriteFile(filepath.Join(w.Project, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := tool.WithOrigin(t.Context(), tool.Origin{CallID: "call", ChangeID: "chg_0123456789abcdef"})
	c, err := s.Prepare(ctx, w, []byte(`{"command":"rm a; mkdir a; echo x >a/x; echo y >a/y"}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.Changes.Apply(ctx, []string{"a/x"}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(w.Project, "a", "x")); err != nil || string(text) != "x\n" {
		t.Errorf("a/x holds %q, %v: %s", text, err, r.Text)
	}
	if _, err := os.Stat(filepath.Join(w.Project, "a", "y")); err == nil {
		t.Error("a/y is there, which was not chosen")
	}
}
