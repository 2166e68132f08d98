package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/crash"
	"belay/internal/fault"
)

// searched is a project that is searched.
func searched(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// lines are what was found, one match a line.
func (r Found) lines() (all []string) {
	for _, f := range r.Files {
		for _, l := range f.Lines {
			all = append(all, fmt.Sprintf("%s:%d %s[%s]%s", f.Path, l.Number, l.Before, l.Match, l.After))
		}
	}
	return all
}

func TestFind(t *testing.T) {
	t.Parallel()
	outside := searched(t, map[string]string{"deck.md": "deck"})
	root := searched(t, map[string]string{
		"a/Deck.md": "one\nThe Deck is here\n", "a/b/deck notes.txt": "no\r\ndeck\r\n", "deck/x.md": "other\n", ".hidden/deck.md": "deck\n",
		"bin.md": "deck\x00deck", ".belay/deck.md": "deck", "b/latin.md": "d\xe9ck deck\n", ".gitignore": "built\n", "built/deck.md": "deck\n",
		"long.md": strings.Repeat("x", 9000) + "deck" + strings.Repeat("y", 9000) + "\n",
	})
	for _, link := range [][2]string{{filepath.Join(outside, "deck.md"), "link-deck.md"}, {outside, "out"}} {
		if err := os.Symlink(link[0], filepath.Join(root, link[1])); err != nil {
			t.Skipf("skipped: this system does not let the test make links: %v", err)
		}
	}
	for _, c := range []struct {
		o    FindOptions
		want []string
	}{
		{FindOptions{Query: "deck"}, []string{".hidden/deck.md:0 .hidden/[deck].md", "a/Deck.md:0 a/[Deck].md", "a/b/deck notes.txt:0 a/b/[deck] notes.txt"}},
		{FindOptions{Query: "Deck"}, []string{"a/Deck.md:0 a/[Deck].md"}},
		{FindOptions{Query: "deck/x"}, []string{"deck/x.md:0 [deck/x].md"}},
		{FindOptions{Query: `^deck\s`, Regexp: true}, []string{"a/b/deck notes.txt:0 a/b/[deck ]notes.txt"}},
		{FindOptions{Query: "deck", Content: true, Folder: "a"}, []string{"a/Deck.md:2 The [Deck] is here", "a/b/deck notes.txt:2 [deck]"}},
		{FindOptions{Query: "DECK", Content: true}, nil},
		{FindOptions{Query: "deck", Content: true, Folder: "b"}, []string{"b/latin.md:1 d\uFFFDck [deck]"}},
		{FindOptions{Query: "deck", Folder: "built"}, []string{"built/deck.md:0 built/[deck].md"}},
		{FindOptions{Query: "deck", Ignored: true, Hides: func(rel string) bool { return rel != "built" && !strings.HasPrefix(rel, "built/") }}, []string{"built/deck.md:0 built/[deck].md"}},
		{FindOptions{Query: "a.*c", Content: true}, nil},
	} {
		got, err := Find(t.Context(), root, c.o)
		if diff := cmp.Diff(c.want, got.lines()); err != nil || diff != "" || got.Cut != "" {
			t.Errorf("%+v: %v, cut %q (-want +got):\n%s", c.o, err, got.Cut, diff)
		}
	}
	long, err := Find(t.Context(), root, FindOptions{Query: "deck", Content: true, Hides: func(rel string) bool { return rel != "long.md" }})
	if err != nil || len(long.Files) != 1 || long.Files[0].Lines[0].Match != "deck" || len(long.Files[0].Lines[0].Before) > maxHitLine {
		t.Errorf("a long line: %+v, %v", long, err)
	}
	for _, c := range []struct {
		o    FindOptions
		want fault.Type
	}{
		{FindOptions{Query: " "}, fault.InvalidRequest}, {FindOptions{Query: "(", Regexp: true}, fault.InvalidRequest}, {FindOptions{Query: "a\nb"}, fault.InvalidRequest},
		{FindOptions{Query: strings.Repeat("x", MaxQuery+1)}, fault.InvalidRequest}, {FindOptions{Query: "x", Folder: ".."}, fault.NotFound}, {FindOptions{Query: "x", Folder: "out"}, fault.NotFound},
		{FindOptions{Query: "x", Folder: ".belay"}, fault.NotFound}, {FindOptions{Query: "x", Folder: "a/Deck.md"}, fault.NotFound}, {FindOptions{Query: "x", Folder: "/etc"}, fault.NotFound},
	} {
		if _, err := Find(t.Context(), root, c.o); !fault.Is(err, c.want) {
			t.Errorf("%.40q in %q: %v, want %s", c.o.Query, c.o.Folder, err, c.want)
		}
	}
}

// A walk that meets nothing but folders ends when its time is up, and says so.
func TestWalkOfFoldersEnds(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	must(t, os.MkdirAll(filepath.Join(x.w.Project, "a/b/c"), 0o755))
	up := make(chan struct{})
	close(up)
	k := &walk[string]{
		w: x.w, at: place{root: x.w.Root, top: x.w.Project, name: "."}, workers: 1, until: up,
		visitor: func() func(*handle, string, string) (string, int) { return nil },
	}
	for range 20 { // a walk that has ended by then may be complete
		if _, complete, err := k.run(t.Context()); err != nil {
			t.Fatal(err)
		} else if !complete {
			return
		}
	}
	t.Error("nothing says that the walk was ended")
}

// Every bound cuts a search, and says so.
func TestFindIsBounded(t *testing.T) {
	t.Parallel()
	all := map[string]string{}
	for i := range 300 {
		all[fmt.Sprintf("d%02d/f%03d.md", i%10, i)] = strings.Repeat("needle\n", 50)
	}
	root := searched(t, all)
	for _, c := range []struct {
		o       FindOptions
		cut     Cut
		matches int // exactly, or any if negative
	}{
		{FindOptions{Query: "needle", Content: true}, CutMatches, 200},
		{FindOptions{Query: "needle", Content: true, Matches: 7}, CutMatches, 7},
		{FindOptions{Query: "f", Matches: 300}, "", 300},
		{FindOptions{Query: "absent", Content: true, Files: 20}, CutFiles, 0},
		{FindOptions{Query: "absent", Content: true, Bytes: 1000}, CutBytes, 0},
		{FindOptions{Query: "needle", Content: true, Time: time.Nanosecond}, CutTime, -1},
	} {
		got, err := Find(t.Context(), root, c.o)
		n := len(got.lines())
		if err != nil || got.Cut != c.cut || c.matches >= 0 && n != c.matches {
			t.Errorf("%+v: %d matches, cut %q, %v", c.o, n, got.Cut, err)
		}
	}
	one, err := Find(t.Context(), root, FindOptions{Query: "needle", Content: true, Folder: "d03", Matches: 1000})
	if err != nil || one.Cut != "" || len(one.Files) != 30 || one.Files[0].Count != 50 || len(one.Files[0].Lines) != LinesPerFile {
		t.Errorf("a folder: %d files, cut %q, %v", len(one.Files), one.Cut, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ended, root, FindOptions{Query: "needle", Content: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left: %v", err)
	}
}

// A panic about a name is one of the caller's goroutine, and the search does not hang.
func TestFindPanics(t *testing.T) {
	t.Parallel()
	root := searched(t, map[string]string{"a": "", "b": ""})
	defer func() {
		if e, ok := recover().(*crash.Error); !ok || e.Value != "burst" {
			t.Errorf("the panic is %v", e)
		}
	}()
	_, err := Find(t.Context(), root, FindOptions{Query: "a", Hides: func(string) bool { panic("burst") }})
	t.Errorf("it returned %v", err)
}
