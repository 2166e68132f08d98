package confine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a command puts in the place of its folders decides nothing about what the
// next command is given.
func TestFoldersOfACommandAreNoLinks(t *testing.T) {
	t.Parallel()
	for name, o := range sandboxes {
		for _, folder := range []string{tmpDir, homeDir} {
			c := room(t)
			outside := filepath.Join(filepath.Dir(c.Project), "outside")
			must(t, os.Mkdir(outside, 0o700))
			r := testRunner(o)
			place := filepath.Join(c.Scratch, folder)
			run(t, r, c, `mv `+place+` `+place+`2; ln -s ../outside `+place)
			if target, err := os.Readlink(place); err != nil {
				t.Fatalf("%s: the command made no link: %q %v", name, target, err)
			}
			run(t, r, c, `echo x >$TMPDIR/a; echo x >$HOME/a; echo x >/tmp/belay-test-link-a`)
			_ = os.Remove("/tmp/belay-test-link-a") // without a tree of its own
			if made, err := os.ReadDir(outside); err != nil || len(made) > 0 {
				t.Errorf("%s: with a link as %s a command wrote elsewhere: %v %v", name, folder, made, err)
			}
		}
	}
}

// Another command of the session may plant the link at any time.
func TestALinkIsNotMountedAsTemp(t *testing.T) {
	t.Parallel()
	c := room(t)
	must(t, prepareScratch(c.Scratch))
	outside := filepath.Join(filepath.Dir(c.Project), "outside")
	must(t, os.Mkdir(outside, 0o700))
	must(t, os.Remove(filepath.Join(c.Scratch, tmpDir)))
	must(t, os.Symlink("../outside", filepath.Join(c.Scratch, tmpDir)))
	r := testRunner(Options{})
	c.Text = `echo x >/tmp/a`
	out, err := os.CreateTemp(t.TempDir(), "")
	must(t, err)
	p, err := r.start(c, out)
	must(t, err)
	_, err = p.wait()
	var setup *SetupError
	if !errors.As(err, &setup) || !strings.Contains(err.Error(), "it is a link") {
		t.Errorf("the command ran: %v", err)
	}
	if made, err := os.ReadDir(outside); err != nil || len(made) > 0 {
		t.Errorf("a command wrote elsewhere: %v %v", made, err)
	}
}

// A project may be in the machine's /tmp, which to a command is a folder of its own:
// no link in it decides where the project is mounted.
func TestNothingIsMountedThroughALink(t *testing.T) {
	t.Parallel()
	c := room(t)
	if !strings.HasPrefix(c.Project, "/tmp/") {
		t.Skip("skipped: the folder for tests is not below /tmp")
	}
	r := testRunner(Options{})
	run(t, r, c, `:`)
	first, _, _ := strings.Cut(strings.TrimPrefix(c.Project, "/tmp/"), "/")
	outside := filepath.Join(filepath.Dir(c.Project), "outside")
	must(t, os.Mkdir(outside, 0o700))
	tmp := filepath.Join(c.Scratch, tmpDir)
	must(t, os.Rename(filepath.Join(tmp, first), filepath.Join(tmp, "away")))
	must(t, os.Symlink("/.machine"+outside, filepath.Join(tmp, first)))
	c.Text = `:`
	if _, err := r.Run(t.Context(), c); err == nil {
		t.Error("the command ran")
	}
	if made, err := os.ReadDir(outside); err != nil || len(made) > 0 {
		t.Errorf("folders were made elsewhere: %v %v", made, err)
	}
}
