package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/session"
	"belay/internal/tool/files"
)

// What a command did to many files can be shown and taken back, also if somebody has
// changed them or their blobs are packed.
func TestManyFilesAreShownAndTakenBack(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w := newPlace(t, base)
	store, err := session.NewStore(session.Options{StateDir: filepath.Join(base, "sessions")})
	must(t, err)
	defer func() { must(t, store.Close()) }()
	blobs, err := store.Blobs(w.Project)
	must(t, err)
	w.Blobs = blobs
	w.Ledger.Before = func(context.Context, ...session.Change) error { return nil }
	before := map[string]string{}
	for i := range 30 {
		name := fmt.Sprintf("f%02d", i)
		before[name] = fmt.Sprintf("old text %d\n", i)
		must(t, os.WriteFile(filepath.Join(w.Project, name), []byte(before[name]), 0o644))
	}
	must(t, os.Symlink("f00", filepath.Join(w.Project, "link")))
	if r, err := callShell(t, shared, w, input{Command: `for f in f0? f1?; do echo "new $f" >$f; done; rm f20; : >f21; chmod 755 f22; ln -sfn f01 link; echo made >made; seq 20000 >f23`}); err != nil || r.Failed {
		t.Fatalf("%+v, %v", r, err)
	}
	changes := w.Ledger.Take()
	if in, err := os.ReadDir(filepath.Join(w.Project, ".belay/blobs")); err != nil || len(in) > 3 {
		t.Errorf("%d blobs were made, %v", len(in), err)
	}
	diffs := map[string]string{}
	for _, c := range changes {
		if diffs[c.Path], err = files.Diff(blobs, c); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"f00": "-old text 0\n+new f00\n", "f19": "-old text 19\n+new f19\n", "f20": "-old text 20\n", "f21": "-old text 21\n",
		"f22": "mode -rw-r--r-- -> -rwxr-xr-x", "f23": "-old text 23\n+1\n", "link": "-f00\n", "made": "+made\n",
	} {
		if !strings.Contains(diffs[name], want) {
			t.Errorf("the diff of %s is %q, which does not have %q", name, diffs[name], want)
		}
	}
	j, err := w.Journal.Open(t.Context(), w.Project, w.Root)
	must(t, err)
	_, err = w.Gate.Enter(t.Context(), w.Project)
	must(t, err)
	tx, conflicts, err := files.Revert(t.Context(), files.Undo{Journal: j, Root: w.Root, Blobs: blobs, Changes: changes})
	if err != nil || len(conflicts) > 0 {
		t.Fatalf("conflicts %v, %v", conflicts, err)
	}
	tx.Done()
	must(t, j.Close())
	for name, want := range before {
		if got, err := os.ReadFile(filepath.Join(w.Project, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if to, err := os.Readlink(filepath.Join(w.Project, "link")); err != nil || to != "f00" {
		t.Errorf("the link leads to %s, %v", to, err)
	}
	if _, err := os.Lstat(filepath.Join(w.Project, "made")); err == nil {
		t.Error("what was made is still there")
	}
}
