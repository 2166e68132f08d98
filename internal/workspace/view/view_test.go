package view

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/durable/durabletest"
	"belay/internal/fault"
)

func project(t testing.TB, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, n := range names {
		file := filepath.Join(root, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// drawn is a tree as lines, indented, with marks for what is truncated.
func drawn(n *Node, indent string) []string {
	line := indent + n.Name + map[Kind]string{Directory: "/", Symlink: "@"}[n.Kind]
	if n.Truncated {
		line += fmt.Sprintf(" [%d, next %d]", n.Total, n.Next)
	}
	all := []string{line}
	for _, c := range n.Children {
		all = append(all, drawn(c, indent+" ")...)
	}
	return all
}

func hidden(rel string) bool { return rel == "secret" || strings.HasPrefix(rel, "secret/") }

func TestTree(t *testing.T) {
	t.Parallel()
	root := project(t, "b.md", "a/one/two/three/four.md", "_x.md", "A.md", "a.md", "10.md", "..x/y.md", ".hidden", ".git/config", ".belay/z", "node_modules/m", "secret/s")
	if err := os.Symlink("a", filepath.Join(root, "link")); err != nil {
		t.Skipf("skipped: this system does not let the test make links: %v", err)
	}
	top := filepath.Base(root) + "/"
	for _, c := range []struct {
		o    TreeOptions
		want []string
	}{
		{TreeOptions{Depth: 1}, []string{top, " ..x/", " a/", " .hidden", " _x.md", " 10.md", " a.md", " A.md", " b.md", " link@"}},
		{TreeOptions{Folder: "a"}, []string{"a/", " one/", "  two/", "   three/"}},
		{TreeOptions{Folder: "a", Depth: 99}, []string{"a/", " one/", "  two/", "   three/", "    four.md"}},
		{TreeOptions{Folder: "..x"}, []string{"..x/", " y.md"}},
		{TreeOptions{Depth: 1, Limit: 2}, []string{top + " [9, next 2]", " ..x/", " a/"}},
		{TreeOptions{Depth: 1, Limit: 2, Offset: 7}, []string{top + " [9, next 0]", " b.md", " link@"}},
		{TreeOptions{Depth: 1, Offset: 99}, []string{top + " [9, next 0]"}},
	} {
		c.o.Hides = hidden
		n, err := Tree(t.Context(), root, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, drawn(n, "")); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.o, diff)
		}
		if n.Path != filepath.Join(root, c.o.Folder) {
			t.Errorf("path %s", n.Path)
		}
	}
	for _, folder := range []string{"none", "b.md", "..", "../x", "/etc", "link", "link/one", "secret", "a/../.."} {
		if n, err := Tree(t.Context(), root, TreeOptions{Folder: folder, Hides: hidden}); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v, %v", folder, n, err)
		}
	}
}

// A folder that is there and cannot be listed is neither empty nor missing. Below the folder that
// is asked for it is truncated.
func TestTreeOfAFolderThatCannotBeListed(t *testing.T) {
	t.Parallel()
	root := project(t, "a/shut/x", "b")
	for _, d := range []string{root, filepath.Dir(root)} {
		if err := os.Chmod(d, 0o755); err != nil { // the way there is open to all
			t.Fatal(err)
		}
	}
	shut := filepath.Join(root, "a", "shut")
	t.Cleanup(func() { _ = os.Chmod(shut, 0o700) })
	for _, mode := range []os.FileMode{0, 0o111, 0o444} {
		if err := os.Chmod(shut, mode); err != nil {
			t.Fatal(err)
		}
		var n, above *Node
		var err, aboveErr error
		durabletest.AsNobody(t, func() {
			n, err = Tree(t.Context(), root, TreeOptions{Folder: "a/shut"})
			above, aboveErr = Tree(t.Context(), root, TreeOptions{Folder: "a"})
		})
		if !fault.Is(err, fault.WorkspaceFileReadFailed) {
			t.Errorf("mode %o: %v, %v", mode, n, err)
		}
		if aboveErr != nil || !cmp.Equal(drawn(above, ""), []string{"a/", " shut/ [0, next 0]"}) {
			t.Errorf("mode %o, from above: %v, %v", mode, above, aboveErr)
		}
	}
}

// A disk may fail after the folder was opened.
func TestTreeOfAFolderThatFailsLate(t *testing.T) {
	t.Parallel()
	closed, err := os.OpenRoot(project(t, "a/b"))
	if err != nil || closed.Close() != nil {
		t.Fatal(err)
	}
	late := &tree{root: closed, left: 1, level: []pending{{&Node{}, "a", 0, 1}}}
	if err := late.descend(t.Context(), 0); !fault.Is(err, fault.WorkspaceFileReadFailed) {
		t.Errorf("the folder that was asked for: %v", err)
	}
	below := &Node{}
	late.level = []pending{{below, "a", 0, 1}}
	if err := late.descend(t.Context(), 1); err != nil || !below.Truncated {
		t.Errorf("one below: %+v, %v", below, err)
	}
}

func TestTreeIsBounded(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 20 {
		for k := range 61 {
			names = append(names, fmt.Sprintf("d%02d/f%02d", i, k))
		}
	}
	root := project(t, names...)
	n, err := Tree(t.Context(), root, TreeOptions{Limit: 1000, MaxNodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	var count func(*Node) int
	count = func(n *Node) int {
		sum := len(n.Children)
		for _, c := range n.Children {
			sum += count(c)
		}
		return sum
	}
	if got := count(n); got != 100 {
		t.Errorf("%d entries", got)
	}
	if first, last := n.Children[0], n.Children[19]; first.Next != DefaultLimit || first.Total != 61 || !last.Truncated || last.Children != nil {
		t.Errorf("first %v, last %v", drawn(first, ""), drawn(last, ""))
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	root := project(t, "a/b.md", "secret/s", ".belay/x", "a/.git/config")
	outside := project(t, "o")
	for name, target := range map[string]string{"in": "a/b.md", "out": outside + "/o", "hid": "secret/s", "a/up": "../secret"} {
		if err := os.Symlink(target, filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Skipf("skipped: this system does not let the test make links: %v", err)
		}
	}
	for _, name := range []string{"a/b.md", "in", "./a/b.md"} {
		c, err := Open(root, name, 100, hidden)
		if err != nil || c.Close() != nil || string(c.Data) != "a/b.md" || c.Path != "a/b.md" || c.Cut() || len(c.Tag) != 64 {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	c, err := Open(root, "a/b.md", 3, nil)
	if err != nil || c.Close() != nil || string(c.Data) != "a/b" || !c.Cut() || c.Size != 6 {
		t.Errorf("cut: %+v, %v", c, err)
	}
	for _, name := range []string{"", "a", "none", "out", "hid", "a/up/s", "secret/s", "../x", outside + "/o", "a/b.md/x", "a/b.md/", "a\x00", ".belay/x", "a/../.belay/x", "a/.git/config"} {
		if c, err := Open(root, name, 100, hidden); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %+v, %v", name, c, err)
		}
	}
}

// Any part of a file can be read, whether it is shown whole or not.
func TestPart(t *testing.T) {
	t.Parallel()
	root := project(t, "a.txt")
	for _, limit := range []int64{3, 100} {
		f, err := Open(root, "a.txt", limit, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f.Tag == "" || f.Size != 5 || f.Cut() != (limit < 5) {
			t.Errorf("limit %d: %+v", limit, f)
		}
		if got, err := io.ReadAll(f.Part(2, 3)); err != nil || string(got) != "txt" {
			t.Errorf("limit %d: %q, %v", limit, got, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
