package shell

import (
	"os"
	"path/filepath"
	"testing"
)

// A link may lead into the project and to the system, wherever the links on its way lead that
// are there now, and that the same command makes.
func TestLeadsOut(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w := newPlace(t, base)
	outside := filepath.Join(base, "outside")
	for _, err := range []error{
		os.MkdirAll(outside, 0o755), os.MkdirAll(filepath.Join(w.Project, "p", "q"), 0o755),
		os.Symlink(outside, filepath.Join(w.Project, "data")),           // came with the project
		os.Symlink("nowhere-yet", filepath.Join(w.Project, "dangling")), // so did this one
		os.Symlink("../..", filepath.Join(w.Project, "p", "q", "l")),    // leads to the project
		os.Symlink("/usr", filepath.Join(w.Project, "d")),               // leads to the system
		os.WriteFile(filepath.Join(w.Project, "p", "file"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range map[string]bool{
		"p/file": false, "p/new/file": false, "./p": false, "": false, "/usr/bin/env": false, "/usr/new": false, "d/bin": false, "p/q/l/p/new": false,
		filepath.Join(w.Project, "p"): false, filepath.Join(w.Project, "new"): false,
		"..": true, "../x": true, "/etc/passwd": true, outside: true, "data": true, "data/new": true, "dangling": true, "dangling/x": true,
		"d/../home/user/.ssh": true, "p/q/l/../.ssh": true, "new/../../x": true, "/usr/../etc": true, filepath.Join(w.Project, "d") + "/../etc": true,
		"//etc/passwd": true, "p/..": true,
	} {
		if got := leadsOut(w, "x", target); got != want {
			t.Errorf("a link to %q leads out: %t", target, got)
		}
	}
	if leadsOut(w, "p/q/x", "../file") || leadsOut(w, "p/x", "../p/file") || !leadsOut(w, "p/x", "../../p") {
		t.Error("a link in a folder is not followed from there")
	}
}
