package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// The files that a repository has are known wherever its index is and whatever form that has,
// or it is said that they are not.
func TestTrackedFiles(t *testing.T) {
	t.Parallel()
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	put := func(top, name, text string) {
		t.Helper()
		name = filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fresh := func(init ...string) string {
		top := tempDir(t)
		git(top, append([]string{"init", "-q"}, init...)...)
		for _, name := range []string{"build/x", "build/xy/z", "sub/build/x", "sub/other"} {
			put(top, name, "one\n")
		}
		git(top, "add", ".")
		git(top, "commit", "-q", "-m", "first")
		return top
	}
	all := []string{"build/x", "build/xy/z", "sub/build/x", "sub/other"}
	for name, c := range map[string]struct {
		make func() string
		want []string // nil where it is not known
	}{
		"version 2":         {func() string { return fresh() }, all},
		"version 4":         {func() string { top := fresh(); git(top, "update-index", "--index-version", "4"); return top }, all},
		"a folder of it":    {func() string { return filepath.Join(fresh(), "sub") }, []string{"build/x", "other"}},
		"none":              {func() string { return tempDir(t) }, []string{}},
		"nothing was added": {func() string { top := tempDir(t); git(top, "init", "-q"); return top }, []string{}},
		"ids of SHA-256":    {func() string { return fresh("--object-format=sha256") }, nil},
		"a split index":     {func() string { top := fresh(); git(top, "update-index", "--split-index"); return top }, nil},
		"a sparse index": {func() string {
			top := fresh()
			git(top, "sparse-checkout", "set", "--cone", "--sparse-index", "build")
			return top
		}, nil},
		"a folder .git that is no repository": {func() string {
			top := fresh()
			if err := os.Mkdir(filepath.Join(top, "sub", ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(top, "sub")
		}, []string{"build/x", "other"}},
		"a link to a folder of it": {func() string {
			to := filepath.Join(tempDir(t), "link")
			if err := os.Symlink(filepath.Join(fresh(), "sub"), to); err != nil {
				t.Fatal(err)
			}
			return to
		}, []string{"build/x", "other"}},
		"an index in no form":  {func() string { top := fresh(); put(top, ".git/index", "DIRC?"); return top }, nil},
		"a pointer to nowhere": {func() string { top := tempDir(t); put(top, ".git", "gitdir"); return top }, nil},
		"a worktree": {func() string {
			to := filepath.Join(tempDir(t), "wt")
			git(fresh(), "worktree", "add", "-q", to)
			return to
		}, all},
		"a submodule": {func() string {
			top := tempDir(t)
			git(top, "init", "-q")
			git(top, "submodule", "add", "-q", fresh(), "module")
			return filepath.Join(top, "module")
		}, all},
	} {
		got := trackedIn(c.make())
		var names []string
		for n := range got.names {
			names = append(names, n)
		}
		slices.Sort(names)
		if got.known != (c.want != nil) || !slices.Equal(names, c.want) {
			t.Errorf("%s: %q, known %t; want %q", name, names, got.known, c.want)
		}
	}
}
