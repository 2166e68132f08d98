package gitconfig_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/workspace/gitconfig"
)

// texts are configurations that are easy to misread.
var texts = []string{
	"", "\n", "# a remark\n; another", "[core]\n\thooksPath = tools/hooks\n", "[core] hooksPath = tools/hooks # ours\n",
	"[CORE]\nHooksPath=\"tools/my hooks\"\n", "[core]\n\thooksPath = tools/\\\nhooks\n", "[core]\nhooksPath = \"a # b\" ; c\n",
	"[filter \"x \\\" \\] y\"]\n\tclean = a \"b  c\" d  \n", "[alias]\nx = \"!f() { \\\"$1\\\"; }; f\"\n", "[a.B.c]\nx = 1\n", "[a \"B\"] x [b]\n",
	"[core]\neditor\nbare = \n", "\uFEFF[core]\n\tbare = true\n", "[core]\r\n\tbare = true\r\n", "[core]\nx = a\\tb\\nc\\\\\n", "[core]\nx = \"a\n", "[core]\nx = a\\qb\n",
	"x = 1\n", "[core\nx = 1\n", "[]\nx = 1\n", "[ core ]\nx = 1\n", "[core \"x\" ]\ny = 1\n", "[core]x=1\n[user]y=2", "[core] # a\n\tx = 1 \\\n # 2\n", "[core]\n1x = 1\n",
	"[core]\n\tx = 1\n\tx_y = 1\n", "[include]\n\tpath = ../a\n[includeIf \"gitdir:~/x/\"]\n\tpath = b\n", "[core]\nx = \\\\\n", "[core]\nx = a \\\n\n", "[core]\nx = \"\\\n\"\n",
	"[core]\nx = a  \"\"\n", "[core]\nx = \"a \"   \n", "[core \"a\nb\"]\nx = 1\n",
}

// Git itself reads each text in the same way, or gives up on it, too.
func TestParseIsGits(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("skipped: there is no git here")
	}
	file := filepath.Join(t.TempDir(), "config")
	for _, text := range texts {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), git, "config", "--file", file, "--no-includes", "--null", "--list")
		cmd.Dir = filepath.Dir(file)
		out, failed := cmd.Output()
		all, err := gitconfig.Parse(text)
		if (failed != nil) != errors.Is(err, gitconfig.ErrSyntax) {
			t.Errorf("%q: git says %v, and not %v", text, failed, err)
			continue
		}
		var b bytes.Buffer
		for _, s := range all {
			for _, name := range []string{s.Section, s.Subsection} {
				if name != "" {
					b.WriteString(name + ".")
				}
			}
			b.WriteString(s.Key + "\n" + s.Value + "\x00")
		}
		// Git tells a key without a value by a line end that is not there.
		want := strings.ReplaceAll(string(out), "core.editor\x00", "core.editor\n\x00")
		want = strings.ReplaceAll(want, "a.B.x\x00", "a.B.x\n\x00")
		if failed == nil && b.String() != want {
			t.Errorf("%q: git reads %q, and not %q", text, want, b.String())
		}
	}
}

// A text with a NUL is none: programs disagree on what comes after it.
func TestNul(t *testing.T) {
	t.Parallel()
	if all, err := gitconfig.Parse("[core]\nx = a\x00b\n"); !errors.Is(err, gitconfig.ErrSyntax) {
		t.Errorf("%v, %v", all, err)
	}
}

// Any text has an end, and its names are in the form in which they are compared.
func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := gitconfig.Parse(text)
		if err != nil && !errors.Is(err, gitconfig.ErrSyntax) {
			t.Fatal(err)
		}
		for _, s := range all {
			if s.Key == "" || s.Name() != strings.ToLower(s.Name()) || len(s.Value) > len(text) {
				t.Errorf("%q: %+v", text, s)
			}
		}
	})
}
