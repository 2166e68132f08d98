package durable

import (
	"bytes"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func openRoot(t testing.TB) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, root.Close()) })
	return root
}

// A reader that looks all the time sees old content or new, never a mixture, and
// nothing is left beside the file.
func TestWriteFileIsAtomic(t *testing.T) {
	t.Parallel()
	root := openRoot(t)
	contents := [][]byte{bytes.Repeat([]byte("a"), 100_000), bytes.Repeat([]byte("b"), 50_000)}
	must(t, WriteFile(root, "f", contents[0], 0o600, Transcript))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			b, err := root.ReadFile("f")
			if err != nil || !bytes.Equal(b, contents[0]) && !bytes.Equal(b, contents[1]) {
				t.Errorf("read %d bytes, error %v", len(b), err)
				return
			}
		}
	})
	for i := range 200 {
		must(t, WriteFile(root, "f", contents[i%2], 0o600, []*File{Cache, Transcript}[i%2]))
	}
	close(stop)
	wg.Wait()
	if diff := cmp.Diff([]string{"f"}, names(t, root)); diff != "" {
		t.Error(diff)
	}
}

func TestWriteFileErrorKeepsTheOldFile(t *testing.T) {
	t.Parallel()
	root := openRoot(t)
	must(t, root.MkdirAll("taken/by", 0o700)) // a folder that is not empty cannot be replaced
	must(t, WriteFile(root, "f", []byte("old"), 0o600, Cache))
	for _, name := range []string{"taken", "missing/f", "../f"} {
		if err := WriteFile(root, name, []byte("new"), 0o600, Cache); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if diff := cmp.Diff([]string{"f", "taken"}, names(t, root)); diff != "" {
		t.Error(diff)
	}
}

func names(t *testing.T, root *os.Root) []string {
	t.Helper()
	entries, err := os.ReadDir(root.Name())
	must(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A file that is replaced keeps the permissions that it is given, whatever the
// umask takes away from new ones.
func TestReplaceKeepsPermissions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: this system has no permission bits")
	}
	root := openRoot(t)
	must(t, root.WriteFile("f", []byte("old"), 0o600))
	for _, perm := range []os.FileMode{0o666, 0o755, 0o600, 0o444} {
		before, err := root.Stat("f")
		must(t, err)
		must(t, root.WriteFile(TempName("key"), []byte("what a crash left"), 0o600))
		must(t, Replacement{Data: []byte(perm.String()), Perm: perm, Exact: true, Like: before, Temp: TempName("key")}.Put(root, "f"))
		info, err := root.Stat("f")
		must(t, err)
		data, err := root.ReadFile("f")
		must(t, err)
		if info.Mode() != perm || string(data) != perm.String() {
			t.Errorf("the file is %v with %q, want %v", info.Mode(), data, perm)
		}
		if diff := cmp.Diff([]string{"f"}, names(t, root)); diff != "" {
			t.Error(diff)
		}
	}
}
