package risk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/permit/review"
	"belay/internal/tool/risk"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes files below a folder; after each name is its content. A name that ends with a
// slash is a folder, and one that ends with @ a link.
func put(t testing.TB, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, strings.TrimSuffix(files[i], "@"))
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		switch {
		case strings.HasSuffix(files[i], "/"):
			must(t, os.MkdirAll(name, 0o755))
		case strings.HasSuffix(files[i], "@"):
			must(t, os.Symlink(files[i+1], name))
		default:
			must(t, os.WriteFile(name, []byte(files[i+1]), 0o644))
		}
	}
}

// open is the project of a folder that has one.
func open(t testing.TB, base string) risk.Project {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(base, "project"), 0o755))
	root, err := os.OpenRoot(filepath.Join(base, "project"))
	must(t, err)
	t.Cleanup(func() { must(t, root.Close()) })
	return risk.Project{Root: root}
}

// runs reports whether a program that is put at a path of a project runs by itself.
func runs(p risk.Project, name string) bool {
	automatic, _ := p.Of([]review.Entry{{Path: name, After: review.Version{Exists: true, Mode: 0o755}}})
	return len(automatic) > 0
}

// Folders of PATH are found in the project however PATH says where they are.
func TestFoldersOfPath(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	put(t, base, "project/bin/", "", "link@", base)
	p := open(t, base)
	for list, want := range map[string]string{
		"":                                      "",
		"/usr/bin":                              "",
		filepath.Join(base, "project/bin"):      "bin/ls",
		filepath.Join(base, "link/project/bin"): "bin/ls",
		filepath.Join(base, "link/project"):     "ls",
		"./bin":                                 "bin/ls sub/bin/ls",
		"bin":                                   "bin/ls sub/bin/ls",
		"../bin":                                "bin/ls sub/bin/ls",
		".git/safe/../../bin":                   "bin/ls sub/bin/ls",
		".":                                     "ls bin/ls sub/ls sub/bin/ls",
		"/usr/bin" + string(filepath.ListSeparator): "ls bin/ls sub/ls sub/bin/ls",
		filepath.Join(base, "other"):                "",
	} {
		p.Path = list
		for _, name := range []string{"ls", "bin/ls", "sub/ls", "sub/bin/ls"} {
			if got, want := runs(p, name), strings.Contains(" "+want+" ", " "+name+" "); got != want {
				t.Errorf("PATH=%s: %s runs by itself: %v", list, name, got)
			}
		}
	}
	p.Path = "."
	automatic, _ := p.Of([]review.Entry{{Path: "notes.md", After: review.Version{Exists: true, Mode: 0o644}}})
	if len(automatic) > 0 {
		t.Errorf("what nobody can start is in PATH: %s", automatic)
	}
}
