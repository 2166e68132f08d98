package files

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/session"
	"belay/internal/tool"
)

// Files that somebody has put back by hand are no obstacle, however many.
func TestWhatIsBackAlreadyIsNoConflict(t *testing.T) {
	t.Parallel()
	for done := range 5 {
		x := newWorld(t)
		x.put("a.txt", "a\n")
		x.put("b.txt", "b\n")
		before := tree(t, x.w.Project)
		var changes []session.Change
		for _, name := range []string{"a.txt", "b.txt", "new/c.txt"} {
			_, _ = x.call("read", in{"path": name}) // the new one is not there
			if _, err := x.call("write", in{"path": name, "content": "changed\n"}); err != nil {
				t.Fatal(err)
			}
			changes = append(changes, x.w.Ledger.Take()...)
		}
		for i, back := range []func(){
			func() { x.put("a.txt", "a\n") },
			func() { x.put("b.txt", "b\n") },
			func() { must(t, os.Remove(filepath.Join(x.w.Project, "new/c.txt"))) },
			func() { must(t, os.Remove(filepath.Join(x.w.Project, "new"))) },
		} {
			if i < done {
				back()
			}
		}
		if conflicts, err := x.revert(changes); err != nil || len(conflicts) > 0 {
			t.Fatalf("after %d steps: %v, %v", done, conflicts, err)
		}
		if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
			t.Errorf("after %d steps:\n%s", done, d)
		}
	}
}

// The folders that a command made go where they are empty again, and links that
// it changed lead where they did.
func TestRevertOfACommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: this system does not let every test make links")
	}
	x := newWorld(t)
	x.put("kept/there", "1\n")
	x.link("kept", "changed")
	x.link("kept", "removed")
	before := tree(t, x.w.Project)
	at := func(name string) string { return filepath.Join(x.w.Project, filepath.FromSlash(name)) }
	blob := func(text string) string {
		sha, _, err := x.blobs.Put(t.Context(), strings.NewReader(text), 100)
		must(t, err)
		return sha
	}
	const link = fs.ModeSymlink | 0o777
	must(t, os.MkdirAll(at("empty/in/here"), 0o755))
	x.put("full/of/it", "x")
	must(t, os.Remove(at("changed")))
	x.link("full", "changed")
	must(t, os.Remove(at("removed")))
	x.link("full", "made")
	changes := []session.Change{
		{Path: "empty/in/here", AfterMode: fs.ModeDir | 0o755, Folders: 2},
		{Path: "full/of/it", After: blob("x"), AfterMode: 0o644, AfterBytes: 1, Folders: 2},
		{Path: "changed", Before: blob("kept"), BeforeMode: link, BeforeBytes: 4, After: blob("full"), AfterMode: link, AfterBytes: 4},
		{Path: "removed", Before: blob("kept"), BeforeMode: link, BeforeBytes: 4},
		{Path: "made", After: blob("full"), AfterMode: link, AfterBytes: 4},
	}
	if text, err := Diff(x.blobs, changes[0]); err != nil || text != "empty/in/here/: a new folder\n" {
		t.Errorf("the diff of a folder is %q, %v", text, err)
	}
	for range 2 { // the second time there is nothing to do
		if conflicts, err := x.revert(changes); err != nil || len(conflicts) > 0 {
			t.Fatal(conflicts, err)
		}
		if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
			t.Error(d)
		}
	}

	// What somebody has put there since stays.
	x.put("empty/in/mine", "mine")
	before = tree(t, x.w.Project)
	if conflicts, err := x.revert(changes); err != nil || len(conflicts) > 0 {
		t.Fatal(conflicts, err)
	}
	if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
		t.Error(d)
	}
	x.put("made", "mine")
	if conflicts, err := x.revert(changes); err != nil || cmp.Diff([]string{"made"}, conflicts) != "" {
		t.Errorf("a file in a link's place: %v, %v", conflicts, err)
	}
}

// A folder that the changes made is gone afterwards, whatever they made of it later.
func TestRevertOfAFolderThatWasMade(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: this system does not let every test make links")
	}
	const link = fs.ModeSymlink | 0o777
	gone := session.Change{Path: "new/deep", BeforeMode: fs.ModeDir | 0o755}
	for name, later := range map[string][]session.Change{
		"removed":        {gone, {Path: "new", BeforeMode: fs.ModeDir | 0o755}},
		"within removed": {gone},
		"a link":         {gone, {Path: "new", BeforeMode: fs.ModeDir | 0o755}, {Path: "new", After: tool.Digest([]byte("there")), AfterMode: link, AfterBytes: 5}},
		"closed":         {gone, {Path: "new", BeforeMode: fs.ModeDir | 0o755, AfterMode: fs.ModeDir | 0o500}},
	} {
		x := newWorld(t)
		x.put("there/deep/in", "other\n")
		before := tree(t, x.w.Project)
		x.ok("write", in{"path": "new/deep/in", "content": "1\n"})
		changes := append(x.w.Ledger.Take(), x.remove("new/deep/in")...)
		changes = append(changes, later...)
		at := filepath.Join(x.w.Project, "new")
		must(t, os.RemoveAll(at))
		switch name {
		case "within removed":
			must(t, os.Mkdir(at, 0o755))
		case "a link":
			x.link("there", "new")
		case "closed":
			must(t, os.Mkdir(at, 0o700))
			x.put("new/more", "2\n")
			changes = append(changes, session.Change{Path: "new/more", After: tool.Digest([]byte("2\n")), AfterMode: 0o644, AfterBytes: 2})
			must(t, os.Chmod(at, 0o500))
		}
		for range 2 { // the second time there is nothing to do
			if conflicts, err := x.revert(changes); err != nil || len(conflicts) > 0 {
				t.Fatal(name, conflicts, err)
			}
			if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

// Folders around a file that a process did not come to make go, too.
func TestRecoverRemovesFoldersAroundMissingOnes(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	before := tree(t, x.w.Project)
	must(t, os.Mkdir(filepath.Join(x.w.Project, "a"), 0o755))
	made, err := Recover(x.w.Root, []session.Change{{Path: "a/b/new", After: tool.Digest([]byte("new\n")), AfterMode: 0o644, AfterBytes: 4, Folders: 2}})
	if err != nil || len(made) > 0 {
		t.Errorf("made %+v, %v", made, err)
	}
	if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
		t.Error(d)
	}
}

// What a process was about to change when it died is known afterwards: whether it
// did, and that nothing of an attempt is left.
func TestRecover(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	var intended []session.Change
	x.w.Ledger.Before = func(_ context.Context, changes ...session.Change) error {
		intended = append(intended, changes...)
		return nil
	}
	for _, name := range []string{"made", "attempted", "both", "new/made", "new/deep/attempted"} {
		if !strings.HasPrefix(name, "new/") {
			x.put(name, "before\n")
			x.ok("read", in{"path": name})
		}
		x.ok("write", in{"path": name, "content": "after of " + name + "\n"})
	}
	x.put("attempted", "before\n")
	x.put("both", "theirs\n")
	must(t, os.Remove(filepath.Join(x.w.Project, "new/deep/attempted")))
	made, err := Recover(x.w.Root, intended)
	must(t, err)
	var got []string
	for _, c := range made {
		got = append(got, c.Path)
	}
	if diff := cmp.Diff([]string{"made", "both", "new/made"}, got); diff != "" {
		t.Error(diff)
	}
	var left []string
	for name := range tree(t, x.w.Project) {
		left = append(left, name)
	}
	slices.Sort(left)
	if diff := cmp.Diff([]string{".", "attempted", "both", "made", "new", "new/made"}, left); diff != "" {
		t.Error(diff)
	}
}

// A file or a link that a process was about to replace with a folder stays where the process died
// before it did.
func TestRecoverKeepsWhatAFolderWasToReplace(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("file", "mine\n")
	must(t, os.Symlink("file", filepath.Join(x.w.Project, "link")))
	before := tree(t, x.w.Project)
	var intended []session.Change
	for _, name := range []string{"file", "link"} {
		intended = append(intended, session.Change{Path: name, Before: tool.Digest([]byte("mine\n")), BeforeMode: 0o644, BeforeBytes: 5})
		if name == "link" {
			intended[len(intended)-1].Before, intended[len(intended)-1].BeforeMode = tool.Digest([]byte("file")), fs.ModeSymlink|0o777
		}
		intended = append(intended, session.Change{Path: name + "/new", After: tool.Digest([]byte("new\n")), AfterMode: 0o644, AfterBytes: 4, Folders: 1})
	}
	made, err := Recover(x.w.Root, intended)
	if err != nil || len(made) > 0 {
		t.Errorf("made %+v, %v", made, err)
	}
	if diff := cmp.Diff(before, tree(t, x.w.Project)); diff != "" {
		t.Error(diff)
	}
}

// Permissions that a process was about to change are known afterwards, too.
func TestRecoverPermissions(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("run.sh", "#!/bin/sh\n")
	sha := tool.Digest([]byte("#!/bin/sh\n"))
	change := session.Change{Path: "run.sh", Before: sha, After: sha, BeforeMode: 0o644, AfterMode: 0o755}
	for mode, want := range map[os.FileMode]int{0o644: 0, 0o755: 1} {
		must(t, os.Chmod(filepath.Join(x.w.Project, "run.sh"), mode))
		made, err := Recover(x.w.Root, []session.Change{change})
		if err != nil || len(made) != want || want > 0 && made[0].AfterMode != mode {
			t.Errorf("with %v it is %+v, %v", mode, made, err)
		}
	}
}
