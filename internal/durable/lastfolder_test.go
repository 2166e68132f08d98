package durable

import (
	"os"
	"path/filepath"
	"testing"
)

// The last folder is opened once, and one that takes its name is noticed.
func TestLastFolder(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o755))
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	l := LastFolder{Root: root}
	defer l.Close()
	if l.Moved() {
		t.Error("nothing was opened, and moved")
	}
	first, err := l.Entry("a/b/f")
	must(t, err)
	second, err := l.Entry("a/b/g")
	must(t, err)
	if first.Folder != second.Folder || second.Name != "g" || l.Moved() {
		t.Errorf("%v and %v, moved %v", first, second, l.Moved())
	}
	must(t, os.Rename(filepath.Join(dir, "a/b"), filepath.Join(dir, "c")))
	must(t, os.Mkdir(filepath.Join(dir, "a/b"), 0o755))
	if !l.Moved() {
		t.Error("another folder has its name, and it is said not to have moved")
	}
	if _, err := l.Entry("none/f"); err == nil {
		t.Error("a folder that is not there was opened")
	}
	top, err := l.Entry("f")
	must(t, err)
	if _, err := top.Folder.Stat("c"); err != nil || l.Moved() {
		t.Errorf("the top folder: %v, moved %v", err, l.Moved())
	}
}
