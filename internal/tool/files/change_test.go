package files

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/workspace"
)

// Covers: turn-api REQ-04
func TestWriteAndEdit(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	c, err := x.prepare("write", in{"path": "docs/new/plan.md", "content": "one\ntwo\n"})
	must(t, err)
	want := permit.Effect{Tool: "write", Kind: permit.Write, Summary: "write docs/new/plan.md (a new file)", Paths: []string{"docs/new/plan.md"},
		Diff: "--- /dev/null\n+++ b/docs/new/plan.md\n@@ -0,0 +1,2 @@\n+one\n+two\n"}
	if d := cmp.Diff(want, c.Effect()); d != "" {
		t.Errorf("effect (-want +got):\n%s", d)
	}
	if _, err := os.Stat(filepath.Join(x.w.Project, "docs")); err == nil {
		t.Error("something was done before the decision")
	}
	_, err = c.Run(t.Context())
	must(t, err)
	x.ok("edit", in{"path": "docs/new/plan.md", "edits": []in{{"old": "two", "new": "2"}, {"old": "2\n", "new": "2\n3\n"}}})
	x.ok("write", in{"path": "docs/new/plan.md", "content": x.get("docs/new/plan.md") + "4\n"}) // it knows its own content
	if got := x.get("docs/new/plan.md"); got != "one\n2\n3\n4\n" {
		t.Errorf("the file holds %q", got)
	}
	changes := x.w.Ledger.Take()
	if len(changes) != 3 || changes[0].Before != "" || changes[0].Folders != 2 || changes[1].Before != changes[0].After ||
		changes[2].After != tool.Digest([]byte("one\n2\n3\n4\n")) || changes[2].AfterBytes != 10 || changes[1].Folders != 0 {
		t.Errorf("the ledger has %+v", changes)
	}
	for _, c := range changes {
		if _, err := x.blobs.Content(c.After); err != nil {
			t.Errorf("%s: what was written is not kept", c.Path)
		}
	}
	diff, err := Diff(x.blobs, changes[1])
	must(t, err)
	if want := "--- a/docs/new/plan.md\n+++ b/docs/new/plan.md\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n"; diff != want {
		t.Errorf("the diff is %q, want %q", diff, want)
	}
}

// A change that would run by itself now, and that was ordinary when it was decided on, is not
// made: a person is asked when it is repeated.
func TestRiskThatComesMeanwhile(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	for _, name := range []string{"tool", ".envrc"} {
		x.put(".git/config", "")
		c, err := x.prepare("write", in{"path": name, "content": "ls\n"})
		must(t, err)
		x.put(".git/config", "[core]\n\tfsmonitor = ./"+name+"\n")
		_, err = c.Run(t.Context())
		if was := len(c.Effect().Automatic) > 0; was { // it was asked about
			must(t, err)
			continue
		}
		refused(t, name, err, "since the change was decided on", "whose configuration names it")
		if _, err := os.Stat(filepath.Join(x.w.Project, name)); err == nil {
			t.Errorf("%s was written", name)
		}
		if c, err = x.prepare("write", in{"path": name, "content": "ls\n"}); err != nil || len(c.Effect().Automatic) != 1 {
			t.Errorf("%s is asked about as %v, %v", name, c.Effect().Automatic, err)
		}
	}
}

func TestWriteInTheScratchFolder(t *testing.T) {
	t.Parallel()
	x := newWorldOf(t, workspace.ScopeOptions{WriteScope: "none"})
	path := filepath.Join(x.w.Scratch, "tmp", "note.txt")
	x.ok("write", in{"path": path, "content": "a"})
	x.ok("edit", in{"path": path, "edits": []in{{"old": "a", "new": "b"}}})
	data, err := os.ReadFile(path)
	must(t, err)
	if string(data) != "b" || len(x.w.Ledger.Take()) != 0 {
		t.Errorf("the file holds %q, or the project's ledger has it", data)
	}
}

func TestChangesThatAreRefused(t *testing.T) {
	t.Parallel()
	x := newWorldOf(t, workspace.ScopeOptions{WriteScope: "deliverable-local", Persona: "TASK"})
	const work = "PKG-01_A/1_Working/DEL-01-01_B/"
	x.put(work+"_STATUS.md", "open\n")
	x.put(work+"_DEPENDENCIES.md", "## Declared Upstream\n- A\n## Run Notes\nx\n")
	x.put(work+"known.md", "a\n")
	x.put(work+"old.md", "a\n")
	x.put(work+"moved.md", "a\n")
	x.put(work+"part.md", "a\nb\n")
	x.put(work+"binary", "a\x00")
	x.put("notes/x.md", "x\n")
	x.link("../"+work+"_STATUS.md", "docs/link")
	x.link("_STATUS.md", work+"state.md")
	x.link("../../../notes", work+"out")
	for _, f := range []string{"known.md", "moved.md", "_STATUS.md", "_DEPENDENCIES.md"} {
		x.ok("read", in{"path": work + f})
	}
	x.ok("read", in{"path": work + "part.md", "limit": 1})
	x.put(work+"moved.md", "b\n")
	edits := func(old, new string) []in { return []in{{"old": old, "new": new}} }
	tests := []struct {
		name, tool string
		input      in
		authority  bool
		words      []string
	}{
		{"not read", "write", in{"path": work + "old.md", "content": "x"}, false, []string{"not read it", "read it first"}},
		{"read in part", "write", in{"path": work + "part.md", "content": "x"}, false, []string{"only a part"}},
		{"changed since", "write", in{"path": work + "moved.md", "content": "x"}, false, []string{"changed since you read it"}},
		{"changed since, edit", "edit", in{"path": work + "moved.md", "edits": edits("b", "c")}, false, []string{"changed since you read it"}},
		{"too large", "write", in{"path": work + "big.md", "content": strings.Repeat("x", 600<<10)}, false, []string{"at most 524288"}},
		{"a folder", "write", in{"path": work, "content": "x"}, false, []string{"a folder"}},
		{"a file as a folder", "write", in{"path": work + "known.md/x", "content": "x"}, false, []string{"a part of the path is a file"}},
		{"nothing to edit", "edit", in{"path": work + "knwn.md", "edits": edits("a", "b")}, false, []string{"did you mean", "known.md"}},
		{"a binary file", "edit", in{"path": work + "binary", "edits": edits("a", "b")}, false, []string{"binary"}},
		{"outside the scope", "write", in{"path": "notes/y.md", "content": "x"}, true, []string{"outside the write scope", "PKG-*"}},
		{"outside, by a link", "edit", in{"path": work + "out/x.md", "edits": edits("x", "y")}, true, []string{"outside the write scope"}},
		{"the status", "write", in{"path": work + "_STATUS.md", "content": "x"}, true, []string{"lifecycle"}},
		{"the status, in capitals", "write", in{"path": work + "_status.MD", "content": "x"}, true, []string{"lifecycle"}},
		{"the status, by a link", "edit", in{"path": "docs/link", "edits": edits("open", "issued")}, true, []string{"_STATUS.md", "lifecycle"}},
		{"the status, by a link beside it", "write", in{"path": work + "state.md", "content": "x"}, true, []string{"lifecycle"}},
		{"a new status", "write", in{"path": "PKG-01_A/1_Working/DEL-01-02_C/_STATUS.md", "content": "x"}, true, []string{"lifecycle"}},
		{"declarations", "edit", in{"path": work + "_DEPENDENCIES.md", "edits": edits("- A", "- B")}, true, []string{"belong to people"}},
		{"belay's own", "write", in{"path": ".belay/x", "content": "x"}, true, []string{"not open to agents"}},
		{"git's own", "write", in{"path": ".git/hooks/pre-commit", "content": "x"}, true, []string{"git"}},
		{"out of the project", "write", in{"path": "../x", "content": "x"}, true, []string{"outside the project"}},
	}
	before := tree(t, x.w.Project)
	for _, tt := range tests {
		_, err := x.call(tt.tool, tt.input)
		if r := refused(t, tt.name, err, tt.words...); r.Authority != tt.authority {
			t.Errorf("%s: authority %v, want %v", tt.name, r.Authority, tt.authority)
		}
	}
	if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
		t.Errorf("a refused call changed something:\n%s", d)
	}
	x.ok("edit", in{"path": work + "_DEPENDENCIES.md", "edits": edits("x", "y")}) // the agents' part
	x.ok("edit", in{"path": work + "old.md", "edits": edits("a", "b")})           // its text proves that it is known
	if changes := x.w.Ledger.Take(); len(changes) != 2 {
		t.Errorf("the ledger has %d changes, want 2", len(changes))
	}
}

// Between the decision and the work anything may happen to the file.
func TestChangeAfterASwap(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	swaps := map[string]func(x *world){
		"changed": func(x *world) { x.put("docs/a.md", "theirs") },
		"removed": func(x *world) { must(x.t, os.Remove(filepath.Join(x.w.Project, "docs", "a.md"))) },
		"a folder": func(x *world) {
			must(x.t, os.Remove(filepath.Join(x.w.Project, "docs/a.md")))
			x.put("docs/a.md/x", "")
		},
		"a link to a protected file": func(x *world) {
			must(x.t, os.Remove(filepath.Join(x.w.Project, "docs/a.md")))
			x.link("../PKG/_STATUS.md", "docs/a.md")
		},
		"a link out in the folder's place": func(x *world) {
			must(x.t, os.Rename(filepath.Join(x.w.Project, "docs"), filepath.Join(x.w.Project, "was")))
			x.link(outside, "docs")
		},
		"a link in the folder's place": func(x *world) {
			must(x.t, os.Rename(filepath.Join(x.w.Project, "docs"), filepath.Join(x.w.Project, "was")))
			x.link("PKG", "docs")
		},
	}
	for name, swap := range swaps {
		x := newWorld(t)
		x.put("docs/a.md", "mine")
		x.put("PKG/_STATUS.md", "open")
		x.put("PKG/a.md", "mine")
		c, err := x.prepare("edit", in{"path": "docs/a.md", "edits": []in{{"old": "mine", "new": "yours"}}})
		must(t, err)
		swap(x)
		before := tree(t, x.w.Project)
		_, err = c.Run(t.Context())
		refused(t, name, err)
		if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
			t.Errorf("%s: the project changed:\n%s", name, d)
		}
		if entries, _ := os.ReadDir(outside); len(entries) > 0 || len(x.w.Ledger.Take()) > 0 {
			t.Errorf("%s: something was written outside, or noted", name)
		}
	}
}

// A file is replaced under its name: other names of the old bytes keep them, so a
// hard link is no way to a protected file.
func TestHardLinksKeepTheirBytes(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("PKG/_STATUS.md", "open\n")
	if err := os.Link(filepath.Join(x.w.Project, "PKG/_STATUS.md"), filepath.Join(x.w.Project, "notes.md")); err != nil {
		t.Skipf("skipped: no hard links here: %v", err)
	}
	x.ok("edit", in{"path": "notes.md", "edits": []in{{"old": "open", "new": "issued"}}})
	if got := x.get("PKG/_STATUS.md"); got != "open\n" {
		t.Errorf("the protected file holds %q", got)
	}
}

func TestPermissionsAreKept(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: this system has no permission bits")
	}
	x := newWorld(t)
	x.put("run.sh", "echo a\n")
	x.put("sealed", "a\n")
	must(t, os.Chmod(filepath.Join(x.w.Project, "run.sh"), 0o775))
	must(t, os.Chmod(filepath.Join(x.w.Project, "sealed"), 0o444))
	x.ok("edit", in{"path": "run.sh", "edits": []in{{"old": "a", "new": "b"}}})
	info, err := os.Stat(filepath.Join(x.w.Project, "run.sh"))
	must(t, err)
	if c := x.w.Ledger.Take(); info.Mode() != 0o775 || c[0].BeforeMode != 0o775 || c[0].AfterMode != 0o775 {
		t.Errorf("the script is %v, its record %+v", info.Mode(), c[0])
	}
	_, err = x.call("edit", in{"path": "sealed", "edits": []in{{"old": "a", "new": "b"}}})
	refused(t, "a file without write permission", err, "write-protected")
}

// Of two changes that were worked out for the same content one is done.
func TestChangesAtTheSameTime(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("n", "0\n")
	const n = 16
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	var calls []tool.Call
	for i := range n {
		c, err := x.prepare("edit", in{"path": "n", "edits": []in{{"old": "0", "new": strings.Repeat("1", i+1)}}})
		must(t, err)
		calls = append(calls, c)
	}
	for _, c := range calls {
		wg.Go(func() {
			if _, err := c.Run(t.Context()); err == nil {
				mu.Lock()
				done++
				mu.Unlock()
			} else {
				refused(t, "the others", err, "changed by something else")
			}
		})
	}
	wg.Wait()
	if changes := x.w.Ledger.Take(); done != 1 || len(changes) != 1 || tool.Digest([]byte(x.get("n"))) != changes[0].After {
		t.Errorf("%d changes were done and %d noted, want one", done, len(changes))
	}
}

func TestContentsTooLargeToKeepAreLost(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.w.Limits.KeepBytes = 10
	x.put("f", "more than ten bytes\n")
	x.ok("edit", in{"path": "f", "edits": []in{{"old": "more", "new": "less"}}})
	c := x.w.Ledger.Take()
	if c[0].Lost == "" || len(x.blobs.blobs) != 0 {
		t.Errorf("the record is %+v with %d blobs", c[0], len(x.blobs.blobs))
	}
	diff, err := Diff(x.blobs, c[0])
	must(t, err)
	if !strings.Contains(diff, "not kept") {
		t.Errorf("the diff is %q", diff)
	}
}

func TestDiffs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of some length\n", 10_000)
	tests := []struct {
		name          string
		before, after []byte
		want          string
	}{
		{"nothing", []byte("a"), []byte("a"), ""},
		{"removed", []byte("a\n"), nil, "--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"},
		{"made empty", nil, []byte{}, "f: a new, empty file\n"},
		{"was empty", []byte{}, nil, "f: an empty file, removed\n"},
		{"binary", []byte("a"), []byte("a\x00"), "f: binary, from 1 to 2 bytes\n"},
		{"encoding", []byte("a"), []byte("\xef\xbb\xbfa"), "f: only the encoding changed, from 1 to 4 bytes\n"},
		{"no line end", []byte("a"), []byte("a\n"), "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
	}
	for _, tt := range tests {
		if got := unified("f", tt.before, tt.after); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	const forged = "f\n+++ b/g"
	for want, got := range map[string]string{
		"--- /dev/null\n+++ \"b/f\\n+++ b/g\"\n@@ -0,0 +1,1 @@\n+a\n": unified(forged, nil, []byte("a\n")),
		"\"f\\n+++ b/g\": a new, empty file\n":                        unified(forged, nil, []byte{}),
	} {
		if got != want {
			t.Errorf("a name of two lines: %q, want %q", got, want)
		}
	}
	got := unified("f", nil, []byte(long))
	if len(got) > maxDiff || !strings.HasSuffix(got, "more lines of the diff are not shown]\n") {
		t.Errorf("a long diff has %d bytes and ends with %q", len(got), got[len(got)-60:])
	}
}

// full is a blob store without room.
type full struct{ *memory }

func (full) Keep(context.Context, string, []byte) error {
	return fault.New(fault.StorageFailure, "the disk is full")
}

// What cannot be taken back is not done: a blob store that fails ends the turn
// before the file is touched.
func TestNothingChangesWithoutABackup(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("f", "1\n")
	x.w.Blobs = full{x.blobs}
	before := tree(t, x.w.Project)
	for _, c := range []struct {
		tool  string
		input in
	}{
		{"edit", in{"path": "f", "edits": []in{{"old": "1", "new": "2"}}}},
		{"write", in{"path": "a/b/new", "content": "x"}},
	} {
		if _, err := x.call(c.tool, c.input); !fault.Is(err, fault.StorageFailure) {
			t.Errorf("%s: %v, want STORAGE_FAILURE", c.tool, err)
		}
	}
	if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
		t.Errorf("something was done:\n%s", d)
	}
}
