package files

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Covers: turn-api REQ-04
func TestGlob(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	for _, f := range []string{"a.md", "b.txt", "docs/c.md", "docs/deep/d.md", "docs/{x}.md", ".github/ci.yml", ".belay/x.md",
		".git/config.md", "build/out.md", "src/keep.log", "src/drop.log", "src/new\nline.md"} {
		x.put(f, "x")
	}
	x.put(".gitignore", "build/\n*.log\n!keep.log\n")
	x.link("docs", "linked")
	tests := []struct {
		input in
		want  string
	}{
		{in{"pattern": "*.md"}, "a.md\n"},
		{in{"pattern": "**/*.md"}, "a.md\ndocs/c.md\ndocs/deep/d.md\ndocs/{x}.md\n\"src/new\\nline.md\"\n"},
		{in{"pattern": "docs/**/*.md"}, "docs/c.md\ndocs/deep/d.md\ndocs/{x}.md\n"},
		{in{"pattern": "*.md", "path": "docs"}, "docs/c.md\ndocs/{x}.md\n"},
		{in{"pattern": "*.{md,txt}"}, "a.md\nb.txt\n"},
		{in{"pattern": `docs/\{x\}.md`}, "docs/{x}.md\n"},
		{in{"pattern": "**/*.log"}, "src/keep.log\n"},
		{in{"pattern": "**/*.log", "ignored": true}, "src/drop.log\nsrc/keep.log\n"},
		{in{"pattern": "*.md", "path": "build", "ignored": true}, "build/out.md\n"},
		{in{"pattern": ".github/*"}, ".github/ci.yml\n"},
		{in{"pattern": "**/*", "hidden": true, "path": ".github"}, ".github/ci.yml\n"},
		{in{"pattern": "**/x.md", "hidden": true}, "no file matches\n"},
		{in{"pattern": "./docs/./c.md"}, "docs/c.md\n"},
	}
	for _, tt := range tests {
		if got := x.ok("glob", tt.input); got.Text != tt.want {
			t.Errorf("glob %v: %q, want %q", tt.input, got.Text, tt.want)
		}
	}
	for pattern, words := range map[string]string{"[": "not a pattern", "/etc/*": "relative", "../*": "relative", "a/../../*": "relative",
		strings.Repeat("**/", 20): "more than 8"} {
		_, err := x.call("glob", in{"pattern": pattern})
		refused(t, pattern, err, words)
	}
	_, err := x.call("glob", in{"pattern": "*", "path": "a.md"})
	refused(t, "a file for a folder", err, "not a folder")
}

func TestList(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("b.txt", "12345")
	x.put("a/x", "")
	x.put(".belay/x", "")
	x.put(".env", "1")
	x.link("b.txt", "c")
	if got, want := x.ok("list", in{}).Text, ".env  1\na/\nb.txt  5\nc -> b.txt\n"; got != want {
		t.Errorf("list: %q, want %q", got, want)
	}
	x.w.Limits.Matches = 2
	if got := x.ok("list", in{"path": "."}); !got.Truncated || got.Text != ".env  1\na/\n[the first 2 of 4; narrow it with glob]\n" {
		t.Errorf("a capped list: %+v", got)
	}
	if got := x.ok("list", in{"path": "a"}); got.Text != "x  0\n" {
		t.Errorf("a folder: %q", got.Text)
	}
	_, err := x.call("list", in{"path": "b.txt"})
	refused(t, "a file", err, "not a folder")
	_, err = x.call("list", in{"path": ".belay"})
	refused(t, "belay's own", err, "not open to agents")
}

// The files that are left out are those that git leaves out.
func TestIgnoringIsWhatGitDoes(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("skipped: there is no git to compare with")
	}
	x := newWorld(t)
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), git, append([]string{"-C", x.w.Project, "-c", "core.excludesFile=/dev/null"}, args...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("init", "-q")
	for _, f := range []string{"a", "b.c", "a.b", "x/a", "x/b.c", "x/y/a", "x/y/z/b.c", "y/x/a", "y/a.b", "z y/a", "{a}/b", "x/{a}", "#a", "!a", "x/#a"} {
		x.put(f, "")
	}
	pattern := rapid.SampledFrom([]string{
		"a", "b.c", "*.c", "a*", "?", "x", "x/", "/x", "/a", "x/y", "x/y/", "x/*", "x/**", "**/a", "**/y/a", "x/**/b.c", "**", "*", "*/", "!a", "!x/", "!*.c",
		"!/x/y", "[ab]", "[!a]*", "[a", "{a}", "x/{a}", "z y", "a ", `a\ `, "# a", `\#a`, `\!a`, "", "/", "//", "x//y", "a**", "y/**/", `\a`, "x/*/a", "***", "!",
	})
	rapid.Check(t, func(rt *rapid.T) {
		for _, f := range []string{".gitignore", "x/.gitignore"} {
			x.put(f, strings.Join(rapid.SliceOfN(pattern, 0, 5).Draw(rt, f), "\n")+"\n")
		}
		var want []string
		for name := range strings.SplitSeq(strings.TrimSuffix(run("ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00") {
			if name != "" && !strings.HasPrefix(filepath.Base(name), ".") {
				want = append(want, name)
			}
		}
		var got []string
		if text := x.ok("glob", in{"pattern": "**/*"}).Text; text != "no file matches\n" {
			got = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			rt.Fatalf("with %q and %q: %q, want %q", x.get(".gitignore"), x.get("x/.gitignore"), got, want)
		}
	})
}
