package repository

import (
	"context"
	"encoding/hex"
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
					fresh, err := o.New(t.Context(), []string{a, wholeCommit}, []string{b})
					slices.Sort(fresh)
					list := strings.Fields(run("rev-list", a+".."+b))
					slices.Sort(list)
					if err != nil || !slices.Equal(fresh, list) && len(fresh)+len(list) > 0 {
						t.Errorf("%s, packed %v, new from %.7s to %.7s: %v, %v, want %v", format, packed, a, b, fresh, err, list)
					}
					names, err := o.Files(t.Context(), a, b)
					if want := strings.Fields(run("diff-tree", "-r", "--name-only", a, b)); err != nil || !slices.Equal(names, want) && len(names)+len(want) > 0 {
						t.Errorf("%s, packed %v, %.7s to %.7s: %v, %v, want %v", format, packed, a, b, names, err, want)
					}
				}
			}
			for _, commit := range strings.Fields(run("rev-list", "main", "side")) {
				o := NewObjects(len(ids[0]), store)
				made, err := o.Made(t.Context(), commit)
				var names []string
				for _, m := range made {
					names = append(names, m.Path)
					data, err := o.Content(t.Context(), m.Is.ID)
					if err != nil || m.Is.ID != run("rev-parse", commit+":"+m.Path) || ContentID(len(commit), data) != m.Is.ID {
						t.Errorf("%s of %.7s: %s, %v", m.Path, commit, m.Is.ID, err)
					}
				}
				if want := strings.Fields(run("diff-tree", "-r", "-c", "--root", "--no-commit-id", "--name-only", commit)); err != nil || !slices.Equal(names, want) && len(names)+len(want) > 0 {
					t.Errorf("%s, packed %v, made by %.7s: %v, %v, want %v", format, packed, commit, names, err, want)
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

// An object that is not what its id says is an error, in a file of its own and in a pack: a
// command may have put it there.
func TestObjectsOfAnotherContent(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), git, append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...).Output()
		must(t, err)
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "a"), "one text")
	write(t, filepath.Join(dir, "b"), "another text")
	run("add", ".")
	run("commit", "-qm", "both")
	objects := filepath.Join(dir, ".git/objects")
	store, err := os.OpenRoot(objects)
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	a, b := run("rev-parse", "main:a"), run("rev-parse", "main:b")
	check := func(what string, wrong bool) {
		t.Helper()
		if data, err := NewObjects(40, store).Content(t.Context(), a); errors.Is(err, errDamaged) != wrong || !wrong && string(data) != "one text" {
			t.Errorf("%s: %q, %v", what, data, err)
		}
	}
	check("as git wrote it", false)
	file := func(id string) string { return filepath.Join(objects, id[:2], id[2:]) }
	was, err := os.ReadFile(file(a))
	must(t, err)
	other, err := os.ReadFile(file(b))
	must(t, err)
	must(t, os.Chmod(file(a), 0o600))
	must(t, os.WriteFile(file(a), other, 0o600))
	check("a loose object", true)
	must(t, os.WriteFile(file(a), was, 0o600))
	run("repack", "-adq")
	check("packed", false)
	packs, err := filepath.Glob(filepath.Join(objects, "pack/*.idx"))
	must(t, err)
	index, err := os.ReadFile(packs[0])
	must(t, err)
	x, err := openIndex(store, "pack/"+filepath.Base(packs[0]), 20)
	must(t, err)
	defer x.f.Close()
	at := func(id string) []byte {
		raw, err := hex.DecodeString(id)
		must(t, err)
		i, err := x.search(raw)
		must(t, err)
		from := x.start() + x.n*24 + 4*i
		return index[from : from+4]
	}
	copy(at(a), at(b))
	must(t, os.Chmod(packs[0], 0o600))
	must(t, os.WriteFile(packs[0], index, 0o600))
	check("an object in a pack", true)
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
