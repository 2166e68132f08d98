package confine

import (
	"os"
	"path/filepath"
	"testing"
)

// What a command changes in a project with an overlay is in the upper folder, and
// the project is as it was. The path of the project may hold what parts the options
// of a mount.
func TestOverlay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", `a,b:c\d "e"`} {
		c := room(t)
		c.Project = filepath.Join(c.Project, name)
		c.Dir = c.Project
		c.Upper, c.Work = "in/upper", "in/work"
		for _, dir := range []string{c.Upper, c.Work, "old"} {
			must(t, os.MkdirAll(filepath.Join(c.Project, dir), 0o700))
		}
		must(t, os.WriteFile(filepath.Join(c.Project, "file"), []byte("before"), 0o600))
		must(t, os.WriteFile(filepath.Join(c.Project, "gone"), []byte("before"), 0o600))
		c.Masked = []string{filepath.Join(c.Project, "in")}
		r := testRunner(Options{})
		if found, err := r.Report(t.Context()); err != nil || !found.Overlay {
			t.Fatalf("no overlay: %v, %v", found.Reasons, err)
		}
		o, text := run(t, r, c, `echo after >file && rm gone && mkdir -p old/new && echo x >old/new/y && cat file && ls in`)
		if o.ExitCode != 0 || text != "after\n" {
			t.Errorf("%s: the command saw %q and ended with %d", name, text, o.ExitCode)
		}
		for file, want := range map[string]string{"file": "before", "gone": "before", c.Upper + "/file": "after\n", c.Upper + "/old/new/y": "x\n"} {
			if got, err := os.ReadFile(filepath.Join(c.Project, file)); string(got) != want {
				t.Errorf("%s: %s holds %q (%v), not %q", name, file, got, err, want)
			}
		}
		if info, err := os.Lstat(filepath.Join(c.Project, c.Upper, "gone")); err != nil || info.Mode()&os.ModeCharDevice == 0 {
			t.Errorf("%s: what was removed is %v, %v", name, info, err)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
