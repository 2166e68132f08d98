package repository

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What git packs anew is kept; what it prunes, what somebody removes, and what only seems to be
// there is not.
func TestKeeps(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	for _, format := range []string{"sha1", "sha256"} {
		dir := t.TempDir()
		run := func(args ...string) {
			t.Helper()
			cmd := exec.CommandContext(t.Context(), git, append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		commit := func(n int) {
			write(t, filepath.Join(dir, "a"), strings.Repeat("line of "+strconv.Itoa(n)+"\n", 50))
			run("add", "a")
			run("commit", "-qm", strconv.Itoa(n))
		}
		// since runs git, and says whether it keeps what the repository's objects were.
		since := func(after func()) bool {
			before := filepath.Join(t.TempDir(), "objects")
			must(t, os.CopyFS(before, os.DirFS(filepath.Join(dir, ".git/objects"))))
			after()
			now, err := os.OpenRoot(filepath.Join(dir, ".git/objects"))
			must(t, err)
			defer now.Close()
			from, err := os.OpenRoot(before)
			must(t, err)
			defer from.Close()
			var gone []string
			must(t, fs.WalkDir(from.FS(), ".", func(name string, d fs.DirEntry, err error) error {
				if _, missing := now.Lstat(name); err == nil && !d.IsDir() && missing != nil && !strings.HasPrefix(name, "info/") && filepath.Ext(name) != ".rev" {
					gone = append(gone, name)
				}
				return err
			}))
			if len(gone) == 0 {
				t.Fatal("nothing went")
			}
			return Keeps(t.Context(), from, now, gone)
		}
		run("init", "-q", "-b", "main", "--object-format="+format)
		commit(1)
		if !since(func() { run("gc", "-q") }) {
			t.Errorf("%s: loose objects that were packed are missing", format)
		}
		commit(2)
		run("repack", "-aq")
		inPack := filepath.Join(dir, ".git/objects")
		if err := fs.WalkDir(os.DirFS(inPack), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !loosePath.MatchString(name) {
				return err
			}
			store, err := os.OpenRoot(inPack)
			must(t, err)
			defer store.Close()
			if !Keeps(t.Context(), store, nil, []string{name}) {
				t.Errorf("%s: the object %s is in a pack that stays", format, name)
			}
			if Keeps(t.Context(), store, nil, append(packsIn(t, inPack), name)) {
				t.Errorf("%s: the object %s is in packs that go, too", format, name)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !since(func() { run("gc", "-q") }) {
			t.Errorf("%s: a pack that became part of another is missing", format)
		}
		commit(3)
		if since(func() {
			run("reset", "-q", "--hard", "HEAD~1")
			run("reflog", "expire", "--expire=now", "--all")
			run("gc", "-q", "--prune=now")
		}) {
			t.Errorf("%s: a commit that was pruned is there", format)
		}
		packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
		must(t, err)
		forged := strings.TrimSuffix(packs[0], ".pack")
		if since(func() { // under another name, with a content that is no pack
			data, err := os.ReadFile(forged + ".idx")
			must(t, err)
			write(t, filepath.Join(filepath.Dir(forged), "pack-forged.idx"), string(data))
			write(t, filepath.Join(filepath.Dir(forged), "pack-forged.pack"), "PACK")
			must(t, os.Remove(forged+".idx"))
			must(t, os.Remove(packs[0]))
		}) {
			t.Errorf("%s: a forged pack is believed", format)
		}
	}
}

var loosePath = regexp.MustCompile(`^[0-9a-f]{2}/[0-9a-f]+$`)

// packsIn are the packs and their indices in a folder of objects.
func packsIn(t *testing.T, objects string) (names []string) {
	t.Helper()
	for _, kind := range []string{"*.pack", "*.idx"} {
		found, err := fs.Glob(os.DirFS(objects), "pack/"+kind)
		must(t, err)
		names = append(names, found...)
	}
	return names
}
