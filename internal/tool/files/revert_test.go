package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/session"
	"belay/internal/tool"
)

// Whatever a turn did to files, in whatever order, Revert gives back the bytes
// and the permissions that there were, and the folders.
func TestRevertGivesEverythingBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		x := newWorld(t)
		x.put("a.txt", "a\n")
		x.put("dir/b.txt", "b\r\n")
		x.put("dir/deep/c.txt", "\xff\xfea\x00")
		if runtime.GOOS != "windows" {
			must(t, os.Chmod(filepath.Join(x.w.Project, "dir/b.txt"), 0o755))
		}
		before := tree(t, x.w.Project)
		names := []string{"a.txt", "dir/b.txt", "dir/deep/c.txt", "new.txt", "new/deep/d.txt", "a.txt/under"}
		var changes []session.Change
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			name := rapid.SampledFrom(names).Draw(rt, "name")
			content := rapid.StringMatching(`[xyz\n]{0,6}`).Draw(rt, "content")
			switch rapid.IntRange(0, 2).Draw(rt, "step") {
			case 0:
				_, _ = x.call("read", in{"path": name})
				_, _ = x.call("write", in{"path": name, "content": content}) // some are refused, which changes nothing
			case 1:
				_, _ = x.call("edit", in{"path": name, "edits": []in{{"old": rapid.SampledFrom([]string{"a", "b", "x"}).Draw(rt, "old"), "new": content}}})
			case 2:
				changes = append(changes, x.remove(name)...)
			}
			changes = append(changes, x.w.Ledger.Take()...)
		}
		conflicts, err := x.revert(changes)
		if err != nil || len(conflicts) > 0 {
			rt.Fatalf("Revert: %v, %v", conflicts, err)
		}
		if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
			rt.Fatalf("after %+v:\n%s", changes, d)
		}
	})
}

// remove does what a command's removal of a file is noted as.
func (x *world) remove(name string) []session.Change {
	x.t.Helper()
	path := filepath.Join(x.w.Project, filepath.FromSlash(name))
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	data, err := os.ReadFile(path)
	must(x.t, err)
	sha, _, err := x.blobs.Put(x.t.Context(), strings.NewReader(string(data)), 1<<20)
	must(x.t, err)
	must(x.t, os.Remove(path))
	return []session.Change{{Path: name, Before: sha, BeforeMode: info.Mode().Perm(), BeforeBytes: int64(len(data))}}
}

// turn makes changes in a project: one file edited, one made, one removed.
func (x *world) turn() []session.Change {
	x.t.Helper()
	x.put("edited", "1\n")
	x.put("removed", "2\n")
	x.ok("edit", in{"path": "edited", "edits": []in{{"old": "1", "new": "one"}}})
	x.ok("write", in{"path": "made/here/new", "content": "3\n"})
	changes := append(x.w.Ledger.Take(), x.remove("removed")...)
	return changes
}

func TestRevertConflicts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		meddle func(x *world)
		want   []string
	}{
		"changed since": {func(x *world) { x.put("edited", "mine\n") }, []string{"edited"}},
		"removed since": {func(x *world) { must(x.t, os.Remove(filepath.Join(x.w.Project, "edited"))) }, []string{"edited"}},
		"there again":   {func(x *world) { x.put("removed", "mine\n") }, []string{"removed"}},
		"several":       {func(x *world) { x.put("removed", "mine\n"); x.put("edited", "mine\n") }, []string{"edited", "removed"}},
		"behind a link now": {func(x *world) {
			must(x.t, os.Rename(filepath.Join(x.w.Project, "made"), filepath.Join(x.w.Project, "was")))
			x.link("was", "made")
		}, []string{"made/here/new"}},
		"a link in the file's place": {func(x *world) {
			must(x.t, os.Remove(filepath.Join(x.w.Project, "edited")))
			x.link("removed", "edited")
		}, []string{"edited"}},
	}
	for name, tt := range tests {
		x := newWorld(t)
		changes := x.turn()
		tt.meddle(x)
		before := tree(t, x.w.Project)
		conflicts, err := x.revert(changes)
		if err != nil || cmp.Diff(tt.want, conflicts) != "" {
			t.Errorf("%s: conflicts %v, %v; want %v", name, conflicts, err, tt.want)
		}
		if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
			t.Errorf("%s: something was done:\n%s", name, d)
		}
	}
}

func TestRevertSeesWhatCameInBetween(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("f", "1\n")
	x.ok("edit", in{"path": "f", "edits": []in{{"old": "1", "new": "2"}}})
	x.put("f", "theirs\n")
	x.w.Seen.Forget("f")
	x.ok("edit", in{"path": "f", "edits": []in{{"old": "theirs", "new": "3"}}})
	conflicts, err := x.revert(x.w.Ledger.Take())
	if err != nil || len(conflicts) != 1 {
		t.Errorf("conflicts %v, %v; want the file that somebody else changed", conflicts, err)
	}
}

func TestRevertOfWhatWasNotKept(t *testing.T) {
	t.Parallel()
	var lost *LostError
	x := newWorld(t)
	changes := x.turn()
	changes[0].Lost = "too large"
	before := tree(t, x.w.Project)
	if _, err := x.revert(changes); !errors.As(err, &lost) || lost.Path != "edited" {
		t.Errorf("a content that was lost: %v", err)
	}
	changes[0].Lost = ""
	delete(x.blobs.blobs, changes[0].Before)
	if _, err := x.revert(changes); !errors.As(err, &lost) {
		t.Errorf("a blob that is gone: %v", err)
	}
	x.blobs.blobs[changes[0].Before] = []byte("other")
	if _, err := x.revert(changes); !errors.As(err, &lost) {
		t.Errorf("a blob that is damaged: %v", err)
	}
	if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
		t.Errorf("something was done:\n%s", d)
	}
	changes[0].Restored = true // undone already: it does not count
	if _, err := x.revert(changes); err != nil {
		t.Errorf("a change that was undone at once: %v", err)
	}
}

func TestRevertTakesNoPathOutOfTheProject(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	for _, path := range []string{"../x", "/etc/passwd", "a/../../x", "./a", ""} {
		if _, err := x.revert([]session.Change{{Path: path, After: "x"}}); err == nil {
			t.Errorf("a change of %q was taken back", path)
		}
	}
}

// meddling are contents of one whose reader is overtaken: somebody changes files when
// the first of them is read, after everything was looked at.
type meddling struct {
	tool.Blobs
	meddle func()
}

func (m meddling) Content(sha string) (attachment.Content, error) {
	c, err := m.Blobs.Content(sha)
	return meddlingContent{c, m.meddle}, err
}

type meddlingContent struct {
	attachment.Content
	meddle func()
}

func (c meddlingContent) Open() (io.ReadCloser, error) {
	c.meddle()
	return c.Content.Open()
}

// A revert that somebody overtakes leaves what it found.
func TestRevertIsAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meddle func(x *world)
		want   []string
	}{
		"a folder in the removed file's place": {func(x *world) { x.put("removed/x", "") }, []string{"removed"}},
		"an edit":                              {func(x *world) { x.put("edited", "mine\n") }, []string{"edited"}},
		"a removal":                            {func(x *world) { must(x.t, os.Remove(filepath.Join(x.w.Project, "edited"))) }, []string{"edited"}},
		"an edit of a new file":                {func(x *world) { x.put("made/here/new", "mine\n") }, []string{"made/here/new"}},
	} {
		x := newWorld(t)
		changes := x.turn()
		var before map[string]string
		conflicts, err := x.revertWith(changes, meddling{x.blobs, sync.OnceFunc(func() {
			tt.meddle(x)
			before = tree(t, x.w.Project)
			for path := range before {
				if strings.HasPrefix(path, ".belay/journal/") {
					delete(before, path)
				}
			}
		})})
		if err != nil || cmp.Diff(tt.want, conflicts) != "" {
			t.Errorf("%s: conflicts %v, %v; want %v", name, conflicts, err, tt.want)
		}
		if d := cmp.Diff(before, tree(t, x.w.Project)); d != "" {
			t.Errorf("%s: not everything was taken back:\n%s", name, d)
		}
	}
}

func ExampleDiff() {
	x := &memory{}
	before, _, _ := x.Put(context.Background(), strings.NewReader("one\ntwo\n"), 100)
	after, _, _ := x.Put(context.Background(), strings.NewReader("one\n2\n"), 100)
	diff, _ := Diff(x, session.Change{Path: "list.txt", Before: before, After: after, BeforeBytes: 8, AfterBytes: 6})
	fmt.Print(diff)
	// Output:
	// --- a/list.txt
	// +++ b/list.txt
	// @@ -1,2 +1,2 @@
	//  one
	// -two
	// +2
}
