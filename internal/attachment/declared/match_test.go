package declared_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment/declared"
)

// Whatever a pattern looks like, it finds what one comparison of all names finds: the
// folders of belay and git are left out, and nothing else, wherever they stand.
func TestPatternsLoseNothing(t *testing.T) {
	t.Parallel()
	files := []string{
		"a.txt", "z.txt", ".git/x.txt", ".belay/y.txt", ".hidden/h.txt", ".env", "d/a.txt", "d/z.md", "d/.git/x.txt", "d/.belay/y.txt",
		"d/e/b.txt", "d/e/.git", "d/e/zz.txt", "sub/.git/deep/er/x.txt", "sub/after.txt", "[x]/in.txt", "{y}.txt", "s*r.txt", "star.txt",
	}
	f := folder(t, files...)
	for _, pattern := range []string{
		"*", "**", "**/*", "**/*.txt", "*/*", "d/*", "d/**", "d/*/*", "a.txt/*", "a.txt/b/*", "{a.txt,d}/*", "?*", "[a-z.]*", "{*,d/*}", "{a,z}.txt", "{.,d}*/*", "*.txt", ".*", ".*/*",
		".git/*", "**/.git/*", "d/.belay/*", "{.git,d}/*.txt", "**/.git", `\[x\]/*`, `[[]x]/*`, `\{y\}.txt`, `s\*r.txt`, `d\e\b.txt`, `d\e/*`, "sub/**/*",
	} {
		got, err := f.Match(t.Context(), pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		if diff := cmp.Diff(compared(t, pattern, files), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
}

// compared are the files that a pattern matches, each compared with it by itself.
func compared(t *testing.T, pattern string, files []string) []string {
	t.Helper()
	all := []string{}
	if below, ok := strings.CutSuffix(pattern, "/**"); ok {
		pattern = below + "/**/*" // what is below a folder, and no file of its name
	}
	for _, name := range files {
		ok, err := doublestar.Match(strings.ReplaceAll(pattern, `d\e`, "d/e"), name)
		if pattern == `d\e\b.txt` {
			ok = name == "d/e/b.txt"
		}
		if err != nil {
			t.Fatal(err)
		}
		own := slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
			return (part == ".git" || part == ".belay") && !strings.Contains(pattern, part)
		})
		if ok && !own {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// Random patterns lose nothing either.
func FuzzPatternsLoseNothing(f *testing.F) {
	names := []string{"a", "b.txt", ".git/a", ".belay/b.txt", "c/a", "c/.git/b", "c/d/b.txt", "c/d/.belay/a", "c/d/.git", "z"}
	dir := f.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, nil, 0o600) != nil {
			f.Fatal(name)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { root.Close() })
	folder := declared.NewFolder(root, 1000)
	for _, seed := range []string{"*", "**/*", "c/*", "{*,c/*}", "**", "?", "*/*/*", "**/b*", "c/**"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if strings.Trim(pattern, "*?/abcdtxz.") != "" || !fs.ValidPath(pattern) || !strings.ContainsAny(pattern, "*?") || strings.Contains(pattern, "***") {
			return
		}
		got, err := folder.Match(t.Context(), pattern)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		if diff := cmp.Diff(compared(t, pattern, names), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	})
}

// Covers: attachments 10.6, attachments 11
//
// Paths of the project lead from there, and nowhere else; what fails says so.
func TestProjectBase(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	for _, name := range []string{"docs/a.md", "docs/.git/x.md", "flows/a.txt", "secret.txt", "flows/deep/b.txt"} {
		path := filepath.Join(project, name)
		if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, []byte(name), 0o600) != nil {
			t.Fatal(name)
		}
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(project, "out")); err != nil {
		t.Fatal(err)
	}
	open := func(dir string) *os.Root {
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		return root
	}
	flows := declared.NewFolder(open(filepath.Join(project, "flows")), 100).WithProject(open(project))
	for name, c := range map[string]struct {
		text    string
		project bool
		want    []string
		fails   string
	}{
		"one file":      {`[{type: file, path: docs/a.md, base: project}]`, false, []string{"docs/a.md"}, ""},
		"a pattern":     {`[{type: file, paths: ["docs/**/*"], base: project}]`, false, []string{"docs/a.md"}, ""},
		"of all":        {`[{type: file, paths: ["docs/*"]}, {type: file, path: a.txt, base: workflow}]`, true, []string{"docs/a.md", "a.txt"}, ""},
		"the same file": {`[{type: file, path: flows/a.txt, base: project}, {type: file, path: a.txt}]`, false, []string{"flows/a.txt"}, ""},
		"up":            {`[{type: file, path: ../docs/a.md}]`, false, nil, `"../docs/a.md" leads out of the folder of the workflow file; with base: project, paths begin at the project`},
		"absolute":      {`[{type: file, path: /etc/passwd}]`, false, nil, "with base: project"},
		"up from it":    {`[{type: file, path: ../x, base: project}]`, false, nil, `"../x" leads out of the project`},
		"absolute, too": {`[{type: file, path: /etc/passwd, base: project}]`, false, nil, `"/etc/passwd" is absolute; paths begin at the project`},
		"elsewhere":     {`[{type: file, paths: ["docs/*.md"]}]`, false, nil, `matches no file in the folder of the workflow file; write optional: true where that may be, or base: project, where it does`},
		"a link out":    {`[{type: file, paths: ["out/*"], base: project}]`, false, nil, "leads out of the project"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries, err := decode(t, c.text)
			if err != nil && c.fails == "" {
				t.Fatal(err)
			}
			x := &declared.Expander{Folder: flows, Project: c.project, MaxItems: 10}
			steps, e := x.Expand(t.Context(), entries, "task one", values(), func(string) bool { return true })
			if err == nil {
				err = e
			}
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%v, want %q", err, c.fails)
				}
				return
			}
			all, err := x.Complete(t.Context(), steps, values())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range flows.Merge(all) {
				got = append(got, a.Source.Path)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for source, want := range map[declared.Source]string{
		{Path: "docs/a.md"}:               "there is no such file in the folder of the workflow file, but in the project; write base: project",
		{Path: "none.md"}:                 "there is no such file in the folder of the workflow file",
		{Path: "none.md", Project: true}:  "there is no such file in the project",
		{Path: "out/none", Project: true}: "it leads out of the project",
		{Path: "../secret.txt"}:           "it leads out of the folder of the workflow file; with base: project, paths begin at the project",
	} {
		_, err := flows.Stat(source)
		if got, _ := flows.Reason(source, err); err == nil || got != want {
			t.Errorf("%v: %q, want %q", source, got, want)
		}
	}
}
