package gitdir

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every layout that git makes has the git directory that git names, from every folder of it.
func TestFindIsThatOfGit(t *testing.T) {
	git := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@localhost", "-C", dir}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	git(root, "init", "-q", "main")
	git(at("main"), "commit", "-q", "--allow-empty", "-m", "first")
	git(at("main"), "worktree", "add", "-q", at("linked"))
	git(at("main"), "submodule", "--quiet", "add", "-q", at("main"), "module")
	git(root, "init", "-q", "--separate-git-dir", at("apart.git"), "apart")
	for _, dir := range []string{"main/sub/.git", "linked/sub", "main/module/sub", "apart/sub"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(at("linked/sub"), at("link")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"main", "main/sub", "linked", "linked/sub", "main/module/sub", "apart/sub", "link"} {
		top, found, err := Find(at(dir))
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		common, err := Common(found)
		if want := git(at(dir), "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"); err != nil || want != top+"\n"+found+"\n"+common {
			t.Errorf("%s: %q, %q, %q, %v; want %q", dir, top, found, common, err, want)
		}
	}
}

// A file that does not say where exactly the git directory is, is no folder without one.
func TestUnclearPointersAreNotMissing(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          "",
		"another form":   "../x\n",
		"no blank":       "gitdir:../x\n",
		"several lines":  "gitdir: ../x\n../y\n",
		"blanks at ends": "gitdir: ../x \n",
		"too large":      "gitdir: " + strings.Repeat("x", MaxPointer),
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".git"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Of(dir); err == nil || Missing(err) {
			t.Errorf("%s: Of: %q, %v", name, got, err)
		}
		if top, _, err := Find(dir); err == nil || Missing(err) {
			t.Errorf("%s: Find: %q, %v", name, top, err)
		}
	}
	if _, err := Of(t.TempDir()); !Missing(err) {
		t.Errorf("none: %v", err)
	}
}
