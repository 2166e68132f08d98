package repository

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The repositories in testdata hold the same history: sha1 and sha256 as packs
// with one loose commit, old as a pack with an index of version 1 and differences
// that name their base by id.
const (
	looseCommit = "6dabcbdb4cc4348748d20ca5eccaf56d63a3c4fa"
	wholeCommit = "c48ad1ae732d67042eb632cc10c8ca13b0e95b52"
	deltaCommit = "42dec62c4693584a27dc10f7af0b25c8ff0a42a2"
	aTag        = "883446720098ab670780aa50477ae8b4e511db9c"
	aTree       = "1233c8f882d130978246a30da75892321f13e5bb"
	aBlob       = "8e27be7d6154a1f68ea9160ef0e18691d20560dc"
)

// work makes a work tree with a repository of testdata and returns it.
func work(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, ".git"), os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func find(t testing.TB, dir string) *Repository {
	t.Helper()
	r, err := Find(dir)
	if err != nil || r == nil {
		t.Fatalf("Find(%s) = %v, %v", dir, r, err)
	}
	return r
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCommit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		repository, prefix, want string
		err                      error
	}{
		{"sha1", looseCommit, looseCommit, nil},
		{"sha1", looseCommit[:7], looseCommit, nil},
		{"sha1", strings.ToUpper(looseCommit[:13]), looseCommit, nil},
		{"sha1", wholeCommit, wholeCommit, nil},
		{"sha1", wholeCommit[:9], wholeCommit, nil},
		{"sha1", deltaCommit, deltaCommit, nil},
		{"sha1", deltaCommit[:8], deltaCommit, nil},
		{"sha1", aTag, "", ErrNotCommit},
		{"sha1", aTree[:12], "", ErrNotCommit},
		{"sha1", aBlob, "", ErrNotCommit},
		{"sha1", "abcdef1", "", ErrNoCommit},
		{"sha1", strings.Repeat("0", 40), "", ErrNoCommit},
		{"sha1", strings.Repeat("f", 40), "", ErrNoCommit},
		{"sha1", wholeCommit + "0", "", ErrNoCommit},
		{"sha1", wholeCommit[:6], "", ErrNoCommit},
		{"sha1", "../../../../etc/passwd", "", ErrNoCommit},
		{"sha1", "HEAD^{commit}", "", ErrNoCommit},
		{"old", looseCommit, looseCommit, nil},
		{"old", deltaCommit[:7], deltaCommit, nil},
		{"old", wholeCommit, wholeCommit, nil},
		{"old", aTag[:10], "", ErrNotCommit},
		{"sha256", "426b4f518031b1be13abefe7e3914d23e1fb04d84c75d1531d9ce32268340ee5", "426b4f518031b1be13abefe7e3914d23e1fb04d84c75d1531d9ce32268340ee5", nil},
		{"sha256", "13271ac5dd0c", "13271ac5dd0c5601cd65db34bc5f0baa5c17e0fb2e9595723ab9b507a4a7c4e3", nil},
		{"sha256", "552a5ba3b4d1", "", ErrNotCommit},
		{"sha256", looseCommit, "", ErrNoCommit},
	} {
		got, err := find(t, work(t, c.repository)).Commit(t.Context(), c.prefix)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: Commit(%s) = %q, %v; want %q, %v", c.repository, c.prefix, got, err, c.want, c.err)
		}
	}
}

func TestAmbiguous(t *testing.T) {
	t.Parallel()
	dir := work(t, "sha1")
	at := filepath.Join(dir, ".git", "objects", looseCommit[:2])
	data, err := os.ReadFile(filepath.Join(at, looseCommit[2:]))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, looseCommit[2:12]+strings.Repeat("0", 28)), string(data))
	r := find(t, dir)
	if _, err := r.Commit(t.Context(), looseCommit[:12]); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("two commits begin alike: %v", err)
	}
	if got, err := r.Commit(t.Context(), looseCommit[:13]); got != looseCommit || err != nil {
		t.Errorf("one more digit: %q, %v", got, err)
	}
}

// TestFind looks from where projects are: below the top, in a linked work tree,
// in a submodule, with borrowed objects, and outside of any repository.
func TestFind(t *testing.T) {
	t.Parallel()
	top := work(t, "sha1")
	deep := filepath.Join(top, "a", "b")
	write(t, filepath.Join(deep, "file"), "")
	linked := t.TempDir()
	write(t, filepath.Join(linked, ".git"), "gitdir: "+filepath.Join(top, ".git", "worktrees", "x")+"\n")
	write(t, filepath.Join(top, ".git", "worktrees", "x", "HEAD"), "ref: refs/heads/x\n")
	write(t, filepath.Join(top, ".git", "worktrees", "x", "commondir"), "../..\n")
	borrower := t.TempDir()
	write(t, filepath.Join(borrower, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(borrower, ".git", "objects", "info", "alternates"), "# borrowed\n"+filepath.Join(top, ".git", "objects")+"\n/gone\n")
	nearly := filepath.Join(top, "nearly")
	write(t, filepath.Join(nearly, ".git", "file"), "a folder that only has the name")

	for name, dir := range map[string]string{"top": top, "below": deep, "linked": linked, "borrowed": borrower, "nearly": nearly} {
		if got, err := find(t, dir).Commit(t.Context(), deltaCommit); got != deltaCommit || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if r, err := Find(t.TempDir()); r != nil || err != nil {
		t.Errorf("outside of a repository: %v, %v", r, err)
	}
	if _, err := Find(filepath.Join(top, "gone")); err == nil {
		t.Error("a folder that does not exist is in a repository")
	}
}

// TestDamaged reads repositories that nobody should trust: each is an error, and
// none takes for ever.
func TestDamaged(t *testing.T) {
	t.Parallel()
	circular := t.TempDir()
	write(t, filepath.Join(circular, ".git", "HEAD"), "")
	write(t, filepath.Join(circular, ".git", "objects", "info", "alternates"), ".\n../objects\n")
	if got := len(find(t, circular).stores); got != 1 {
		t.Errorf("objects that borrow from themselves are %d stores", got)
	}

	pointer := t.TempDir()
	write(t, filepath.Join(pointer, ".git"), "nonsense")
	gone := t.TempDir()
	write(t, filepath.Join(gone, ".git"), "gitdir: /nowhere")
	for name, dir := range map[string]string{"nonsense": pointer, "to nowhere": gone} {
		if r, err := Find(dir); err == nil {
			t.Errorf("%s: %v", name, r)
		}
	}

	loose := work(t, "sha1")
	path := filepath.Join(loose, ".git", "objects", looseCommit[:2], looseCommit[2:])
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	write(t, path, "not compressed")
	if got, err := find(t, loose).Commit(t.Context(), looseCommit); err == nil {
		t.Errorf("a loose object that is none: %q", got)
	}

	for name, damage := range map[string]func(x, p []byte) ([]byte, []byte){
		"no index":    func(_, p []byte) ([]byte, []byte) { return nil, p },
		"short index": func(x, p []byte) ([]byte, []byte) { return x[:1100], p },
		"no pack":     func(x, _ []byte) ([]byte, []byte) { return x, nil },
		"short pack":  func(x, p []byte) ([]byte, []byte) { return x, p[:700] },
		"fanout": func(x, p []byte) ([]byte, []byte) {
			binary.BigEndian.PutUint32(x[8:], 1<<31)
			return x, p
		},
		"version": func(x, p []byte) ([]byte, []byte) {
			binary.BigEndian.PutUint32(x[4:], 9)
			return x, p
		},
		"type": func(x, p []byte) ([]byte, []byte) {
			p[800] |= 0x70 // a difference from an id that is none
			return x, p
		},
	} {
		dir := work(t, "sha1")
		x, p := packOf(t, dir)
		index, pack := damage(contents(t, x), contents(t, p))
		write(t, x, string(index))
		write(t, p, string(pack))
		if got, err := find(t, dir).Commit(t.Context(), deltaCommit); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// packOf is where a repository has its one pack.
func packOf(t testing.TB, dir string) (index, pack string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, ".git", "objects", "pack", "*.idx"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%q, %v", all, err)
	}
	return all[0], strings.TrimSuffix(all[0], ".idx") + ".pack"
}

// FuzzPack reads packs and indexes that somebody made up: an answer is an id that
// was asked for and is in the index.
func FuzzPack(f *testing.F) {
	for _, name := range []string{"sha1", "old"} {
		x, p := packOf(f, work(f, name))
		f.Add(contents(f, x), contents(f, p), deltaCommit)
		f.Add(contents(f, x), contents(f, p), aTag[:8])
	}
	f.Add([]byte("\377tOc"), []byte("PACK"), looseCommit)
	f.Fuzz(func(t *testing.T, index, pack []byte, prefix string) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, ".git", "HEAD"), "")
		write(t, filepath.Join(dir, ".git", "objects", "pack", "pack-1.idx"), string(index))
		write(t, filepath.Join(dir, ".git", "objects", "pack", "pack-1.pack"), string(pack))
		id, err := find(t, dir).Commit(t.Context(), prefix)
		if err != nil {
			return
		}
		raw := make([]byte, 0, 20)
		for i := 0; i < len(id); i += 2 {
			raw = append(raw, digit(id[i])<<4|digit(id[i+1]))
		}
		if !strings.HasPrefix(id, strings.ToLower(prefix)) || !strings.Contains(string(index), string(raw)) {
			t.Fatalf("asked for %q, got %q", prefix, id)
		}
	})
}

func digit(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}
