package overlay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"belay/internal/tool/shell/overlay"
)

// Where the clock went back while a command ran, nobody knows what was changed
// meanwhile: every path of the command is a conflict.
func TestClockThatGoesBack(t *testing.T) {
	t.Parallel()
	for back, want := range map[time.Duration]string{0: "", time.Hour: "a new sub/c"} {
		p := newPlace(t)
		fill(t, p.project)
		p.made = func(u *overlay.Upper) { overlay.Began(u, back) }
		set := p.run(t, `echo x >>a; echo x >new; rm sub/c; cat b`)
		if got := strings.Join(set.Conflicts, " "); got != want {
			t.Errorf("%v back: conflicts %q, want %q", back, got, want)
		}
		p.remove(t)
	}
}

// A folder that somebody removed or moved while a command ran does not come back: it is a
// conflict.
func TestFolderThatIsGone(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(sub string) error{
		"removed": os.RemoveAll,
		"moved":   func(sub string) error { return os.Rename(sub, sub+".moved") },
	} {
		p := newPlace(t)
		fill(t, p.project)
		p.meanwhile = func() { must(t, meanwhile(filepath.Join(p.project, "sub"))) }
		set := p.run(t, `echo x >>sub/c; mkdir -p own/sub; echo y >sub/deep/new; echo ready >$HOME/ready; until [ -e $HOME/go ]; do sleep 0.01; done`)
		if got := strings.Join(set.Conflicts, " "); got != "sub sub/deep" {
			t.Errorf("%s: conflicts: %s", name, got)
		}
		p.remove(t)
	}
}

// A folder that somebody moves into the place of the one which the command saw is a conflict,
// however old what is in it is.
func TestFolderThatIsAnother(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`echo x >>sub/c`:                                   "sub/c",
		`rm sub/c`:                                         "sub/c",
		`echo x >>sub/deep/d`:                              "sub/deep/d",
		`rm -r sub`:                                        "sub/c sub/deep/.hidden sub/deep/d",
		`rm -r sub; mkdir sub; echo x >sub/new`:            "sub/c sub/deep/.hidden sub/deep/d",
		`rm -r sub/deep; echo x >a`:                        "sub/deep/.hidden sub/deep/d",
		`rm -r sub; mkdir sub; echo x >sub/c`:              "sub/c sub/deep/.hidden sub/deep/d",
		`rm -r sub; mkdir -p sub/deep; echo x >sub/deep/d`: "sub/c sub/deep/.hidden sub/deep/d",
		`echo x >a`:                                        "",
	} {
		for _, known := range []bool{true, false} { // to an ordinary user it is not known
			p := newPlace(t)
			fill(t, p.project)
			sub := filepath.Join(p.project, "sub")
			must(t, os.CopyFS(sub+".other", os.DirFS(sub)))
			p.meanwhile = func() {
				upper, _ := p.upper.Folders()
				for _, name := range []string{"sub", "sub/deep"} {
					if !known { // what is no copy has no such attribute
						_ = unix.Setxattr(filepath.Join(p.project, upper, name), "user.overlay.origin", nil, unix.XATTR_REPLACE)
					}
				}
				must(t, os.Rename(sub, sub+".moved"))
				must(t, os.Rename(sub+".other", sub))
			}
			set := p.run(t, text+`; echo ready >$HOME/ready; until [ -e $HOME/go ]; do sleep 0.01; done`)
			if got := strings.Join(set.Conflicts, " "); got != want {
				t.Errorf("%s, known %t: conflicts %q, want %q", text, known, got, want)
			}
			p.remove(t)
		}
	}
}

// An upper directory whose lock somebody has removed, as git clean does, is swept.
func TestSweptWithoutLock(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := filepath.Join(p.project, ".belay/tmp/ABC")
	must(t, os.MkdirAll(filepath.Join(dir, "work", "work"), 0o700))
	must(t, os.Chmod(filepath.Join(dir, "work", "work"), 0))
	used, err := overlay.Make(p.root)
	must(t, err)
	upper, _ := used.Folders()
	must(t, overlay.Sweep(p.root))
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := p.root.Stat(upper); err != nil {
		t.Errorf("one that is in use: %v", err)
	}
	must(t, used.Remove())
}
