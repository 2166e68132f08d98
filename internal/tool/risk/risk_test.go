package risk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/permit/review"
	"belay/internal/tool"
)

// TestPathFolders: a program in a folder of PATH counts, however PATH names the folder.
func TestPathFolders(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	project := filepath.Join(above, "p")
	for _, err := range []error{os.MkdirAll(filepath.Join(project, "bin"), 0o755), os.Symlink(above, filepath.Join(above, "link")), os.Symlink("bin", filepath.Join(project, "progs"))} {
		if err != nil {
			t.Skip(err) // no links on this system
		}
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	program := review.Version{Exists: true, Mode: 0o755}
	list := func(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }
	for path, want := range map[string]map[string]bool{
		list("/usr/bin", filepath.Join(project, "bin")): {"bin/ls": true, "ls": false, "x/ls": false},
		list("./bin", "/usr/bin"):                       {"bin/ls": true, "ls": false},
		list("/usr/bin", ".git/safe/../../bin"):         {"bin/ls": true},
		list(filepath.Join(above, "link", "p", "bin")):  {"bin/ls": true},
		list(filepath.Join(project, "progs"), "/usr"):   {"bin/ls": true, "progs/ls": true},
		list(".", "/usr/bin"):                           {"ls": true, "bin/ls": false},
		list("/usr/bin", ""):                            {"ls": true, "bin/ls": false},
		list("/usr/bin", above, "..", "../q", "/"):      {"ls": false, "bin/ls": false},
	} {
		p := In(&tool.Environment{Root: root, Person: tool.Person{Path: path}})
		for name, runs := range want {
			if automatic, _ := p.Of([]review.Entry{{Path: name, After: program}}); (len(automatic) > 0) != runs {
				t.Errorf("PATH=%s: %s is said to run: %q", path, name, automatic)
			}
		}
	}
	text := review.Entry{Path: "README", Before: review.Version{Exists: true, Mode: 0o644}, After: review.Version{Exists: true, Mode: 0o644}}
	if automatic, _ := In(&tool.Environment{Root: root, Person: tool.Person{Path: "."}}).Of([]review.Entry{text}); len(automatic) > 0 {
		t.Errorf("a text is no program: %q", automatic)
	}
}
