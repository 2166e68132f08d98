package repository

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What is read of a history is what git says of it, loose and packed.
func TestObjectsAgreeWithGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	for i, format := range []string{"sha1", "sha256", "sha1"} {
		dir := t.TempDir()
		clock, tick := 1_700_000_000, []int{10, 10, 0}[i] // the last has all commits at one moment
		run := func(args ...string) string {
			t.Helper()
			clock += tick
			cmd := exec.CommandContext(t.Context(), git, append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", clock)}
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("git %v: %v", args, err)
			}
			return strings.TrimSpace(string(out))
		}
		run("init", "-q", "-b", "main", "--object-format="+format)
		for i := range 12 {
			for _, name := range []string{"a", "sub/b", "sub/deep/c"} {
				write(t, filepath.Join(dir, name), strings.Repeat(fmt.Sprintf("%s %d\n", name, i/3), 100))
			}
			write(t, filepath.Join(dir, fmt.Sprintf("sub/%d", i)), "x")
			run("add", ".")
			run("commit", "-qm", "one more")
			switch i {
			case 4:
				run("checkout", "-qb", "side")
			case 8:
				run("checkout", "-q", "main")
			case 10:
				run("merge", "-q", "--no-edit", "-X", "ours", "side")
			}
		}
		run("tag", "-am", "words", "v1", "main~2")
		ids := []string{run("rev-parse", "main"), run("rev-parse", "main~1"), run("rev-parse", "side"), run("rev-parse", "side~2"), run("rev-parse", "v1"), run("rev-parse", "main~4")}
		for _, packed := range []bool{false, true} {
			if packed {
				run("repack", "-adq", "--depth=50", "--window=50")
			}
			store, err := os.OpenRoot(filepath.Join(dir, ".git/objects"))
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range ids {
				for _, b := range ids {
					o := NewObjects(len(a), store)
					ahead, behind, err := o.Between(t.Context(), []string{a}, b)
					want := strings.Fields(run("rev-list", "--left-right", "--count", b+"..."+a))
					if err != nil || strconv.Itoa(ahead) != want[0] || strconv.Itoa(behind) != want[1] {
						t.Errorf("%s, packed %v, %.7s to %.7s: %d, %d, %v, want %v", format, packed, a, b, ahead, behind, err, want)
					}
					names, err := o.Files(t.Context(), a, b)
					if want := strings.Fields(run("diff-tree", "-r", "--name-only", a, b)); err != nil || !slices.Equal(names, want) && len(names)+len(want) > 0 {
						t.Errorf("%s, packed %v, %.7s to %.7s: %v, %v, want %v", format, packed, a, b, names, err, want)
					}
				}
			}
			mode, id, err := NewObjects(len(ids[0]), store).Entry(t.Context(), ids[0], "sub/deep/c")
			if want := strings.Fields(run("ls-tree", "main", "sub/deep/c")); err != nil || mode != want[0] || id != want[2] {
				t.Errorf("%s %s, %v, want %v", mode, id, err, want)
			}
			must(t, store.Close())
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A history without an end, or that is damaged, is an error.
func TestObjectsOfAHostileRepository(t *testing.T) {
	t.Parallel()
	dir := work(t, "sha1")
	store, err := os.OpenRoot(filepath.Join(dir, ".git/objects"))
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := NewObjects(40, store).Between(ctx, nil, wholeCommit); !errors.Is(err, context.Canceled) {
		t.Errorf("a time that is over: %v", err)
	}
	for _, id := range []string{"", "xyz", strings.Repeat("0", 40), strings.Repeat("0", 64), aTree, aBlob, "../../../../etc/passwd"} {
		if _, _, err := NewObjects(40, store).Between(t.Context(), nil, id); err == nil {
			t.Errorf("%q is a commit", id)
		}
	}
	write(t, filepath.Join(dir, ".git/objects/00/"+strings.Repeat("1", 38)), "no object")
	if _, _, err := NewObjects(40, store).Between(t.Context(), nil, "00"+strings.Repeat("1", 38)); !errors.Is(err, errDamaged) {
		t.Errorf("a damaged object: %v", err)
	}
	o := NewObjects(40, store)
	o.read = maxObjects
	if _, _, err := o.Between(t.Context(), nil, wholeCommit); !errors.Is(err, ErrTooMuch) {
		t.Errorf("too many objects: %v", err)
	}
}

// Whatever a difference says, what it makes has the bytes of its base and its own, and
// an end.
func FuzzPatched(f *testing.F) {
	f.Add([]byte("base"), []byte{4, 2, 0x91, 0, 1, 1, 'x'})
	f.Add([]byte("base"), []byte{4, 4, 0x80})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		out, err := patched(base, delta)
		if err == nil && len(out) > maxObject {
			t.Errorf("%d bytes", len(out))
		}
		for _, c := range out {
			if !slices.Contains(base, c) && !slices.Contains(delta, c) {
				t.Errorf("%q of %q and %q", out, base, delta)
			}
		}
	})
}
